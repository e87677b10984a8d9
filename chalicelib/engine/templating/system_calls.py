"""A seccomp filter: what a process that only computes, reads and writes still needs.

Everything else (files, sockets, processes, other processes' memory) answers EPERM, as root or not.
"""

import ctypes
import platform
import struct
from typing import Final

_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_SECCOMP: Final = 22
_SECCOMP_MODE_FILTER: Final = 2

_LOAD_WORD: Final = 0x20
_JUMP_IF_EQUAL: Final = 0x15
_RETURN: Final = 0x06
_ARCHITECTURE_OFFSET: Final = 4
_X86_64: Final = 0xC000003E
_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_REFUSE: Final = 0x00050000 | 1  # EPERM

# The x86-64 numbers, from the kernel's own table.
_ALLOWED: Final = {
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


def restrict() -> bool:
    """Confine this process for good; returns whether the kernel agreed."""
    if platform.machine() != "x86_64":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    program = _program()
    instructions = ctypes.create_string_buffer(program, len(program))
    count = len(program) // 8
    filter_ = ctypes.create_string_buffer(
        struct.pack("@HxxxxxxP", count, ctypes.addressof(instructions)),
    )
    return bool(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, filter_, 0, 0) == 0)


def _program() -> bytes:
    numbers = sorted(_ALLOWED.values())
    checks = [
        _instruction(_JUMP_IF_EQUAL, number, len(numbers) - index, 0)
        for index, number in enumerate(numbers)
    ]
    return b"".join(
        (
            _instruction(_LOAD_WORD, _ARCHITECTURE_OFFSET),
            _instruction(_JUMP_IF_EQUAL, _X86_64, 1, 0),
            _instruction(_RETURN, _KILL),
            _instruction(_LOAD_WORD, 0),
            *checks,
            _instruction(_RETURN, _REFUSE),
            _instruction(_RETURN, _ALLOW),
        ),
    )


def _instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)
