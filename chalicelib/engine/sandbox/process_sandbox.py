"""Sandbox of a child process: takes away rights, files, memory, time and system calls."""

import ctypes
import os
import platform
import resource
import signal
import struct
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.engine.sandbox import limits, walls

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_NOBODY_ID: Final = 65_534
_HARD_LIMIT_GRACE_S: Final = 0.6
"""Between the exception, which knows the line that it interrupted, and the kernel's signal."""

_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_SECCOMP: Final = 22
_SECCOMP_MODE_FILTER: Final = 2
_BPF_LD_W_ABS: Final = 0x20
_BPF_JMP_JEQ_K: Final = 0x15
_BPF_RET_K: Final = 0x06
_SECCOMP_DATA_ARCH_OFFSET: Final = 4
_AUDIT_ARCH_X86_64: Final = 0xC000003E
_SECCOMP_RET_ALLOW: Final = 0x7FFF0000
_SECCOMP_RET_KILL_PROCESS: Final = 0x80000000
_SECCOMP_RET_EPERM: Final = 0x00050000 | 1  # EPERM
# System call numbers of x86-64 (arch/x86/entry/syscalls/syscall_64.tbl).
_ALLOWED_SYSTEM_CALLS: Final = {
    "read": 0,
    "write": 1,
    "close": 3,
    "fstat": 5,
    "poll": 7,
    "lseek": 8,
    "mmap": 9,
    "mprotect": 10,
    "munmap": 11,
    "brk": 12,
    "rt_sigaction": 13,
    "rt_sigprocmask": 14,
    "rt_sigreturn": 15,
    "sched_yield": 24,
    "mremap": 25,
    "madvise": 28,
    "setitimer": 38,
    "getpid": 39,
    "exit": 60,
    "gettimeofday": 96,
    "getrusage": 98,
    "sigaltstack": 131,
    "gettid": 186,
    "futex": 202,
    "restart_syscall": 219,
    "clock_gettime": 228,
    "exit_group": 231,
    "getrandom": 318,
}


class CpuTimeError(Exception):
    """Processor time of a run used up."""


def enter_sandbox(parent_pid: int, memory_bytes: int = limits.MEMORY_BYTES) -> list[str]:
    """Give up everything but computing; the process dies with its parent.

    It may take `memory_bytes` more than it has.

    Returns the names of the walls that the kernel refused (`walls.py`). Without the parent death
    signal the process ends with its pipe. Raises SystemExit where the parent is already gone.
    """
    baseline = _address_space_bytes()
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(_NOBODY_ID, _NOBODY_ID, _NOBODY_ID)
        os.setresuid(_NOBODY_ID, _NOBODY_ID, _NOBODY_ID)
    libc = _libc()
    has = {
        walls.NOT_DUMPABLE: libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0,
        # After setresuid, which clears it.
        walls.PARENT_DEATH_SIGNAL: libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0,
    }
    if os.getppid() != parent_pid:
        raise SystemExit
    has[walls.RESOURCE_LIMITS] = _limit_resources(baseline + memory_bytes)
    signal.signal(signal.SIGVTALRM, _raise_cpu_time_error)
    has[walls.NO_NEW_PRIVILEGES] = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    has[walls.SYSTEM_CALL_FILTER] = has[walls.NO_NEW_PRIVILEGES] and install_seccomp_filter()
    return [wall for wall, stands in has.items() if not stands]


def die_with(parent_pid: int) -> bool:
    """Make the process end with its parent; return whether the kernel accepted it.

    Raises SystemExit where the parent is already gone.
    """
    is_accepted: bool = _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0
    if os.getppid() != parent_pid:
        raise SystemExit
    return is_accepted


@cache
def _libc() -> ctypes.CDLL:
    # Loaded once: a confined process opens no files.
    return ctypes.CDLL(None, use_errno=True)


def _limit_resources(memory: int) -> bool:
    """Limit this process; return whether the kernel accepted every limit."""
    none = (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC)
    wanted = dict.fromkeys((*none, resource.RLIMIT_NOFILE), 0) | {resource.RLIMIT_AS: memory}
    try:
        for kind, limit in wanted.items():
            resource.setrlimit(kind, (limit, limit))
    except (OSError, ValueError):
        return False
    return True


def start_cpu_timers(seconds: float) -> None:
    """Start the processor time of one run.

    ITIMER_VIRTUAL raises CpuTimeError between two steps of interpreted code. It cannot interrupt
    one long call into C, so ITIMER_PROF, whose signal has no handler, ends the process. That timer
    also counts the kernel's time, where a call that takes and returns much memory spends most of
    its time.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds + _HARD_LIMIT_GRACE_S)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def stop_cpu_timers() -> None:
    """Stop the processor time of the run."""
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.setitimer(signal.ITIMER_PROF, 0)


def peak_memory_bytes() -> int:
    """Return the peak resident memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _raise_cpu_time_error(*_: object) -> None:
    raise CpuTimeError


def _address_space_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def install_seccomp_filter() -> bool:
    """Confine this process, which can get no new privileges; return whether that was accepted."""
    if platform.machine() != "x86_64":
        return False
    libc = _libc()
    program = _bpf_program()
    instructions = ctypes.create_string_buffer(program, len(program))
    count = len(program) // 8
    filter_ = ctypes.create_string_buffer(
        struct.pack("@HxxxxxxP", count, ctypes.addressof(instructions)),
    )
    return bool(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, filter_, 0, 0) == 0)


def _bpf_program() -> bytes:
    numbers = sorted(_ALLOWED_SYSTEM_CALLS.values())
    checks = [
        _bpf_instruction(_BPF_JMP_JEQ_K, number, len(numbers) - index, 0)
        for index, number in enumerate(numbers)
    ]
    return b"".join(
        (
            # Another architecture gives the numbers another meaning, so it ends the process.
            _bpf_instruction(_BPF_LD_W_ABS, _SECCOMP_DATA_ARCH_OFFSET),
            _bpf_instruction(_BPF_JMP_JEQ_K, _AUDIT_ARCH_X86_64, 1, 0),
            _bpf_instruction(_BPF_RET_K, _SECCOMP_RET_KILL_PROCESS),
            _bpf_instruction(_BPF_LD_W_ABS, 0),
            *checks,
            _bpf_instruction(_BPF_RET_K, _SECCOMP_RET_EPERM),
            _bpf_instruction(_BPF_RET_K, _SECCOMP_RET_ALLOW),
        ),
    )


def _bpf_instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)
