/* Preloaded library: adds the seconds in a file to the time of day, of all processes at once.
   The monotonic clock goes on as it is, as when a machine's clock is set. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t none;
static volatile int64_t *offset = &none;

__attribute__((constructor)) static void open_offset(void) {
    int file = open(OFFSET_FILE, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) offset = page;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = dlsym(RTLD_NEXT, "clock_gettime");
    int answer = next(clock, now);
    if (!answer && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *offset;
    return answer;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec moment;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &moment);
    now->tv_sec = moment.tv_sec;
    now->tv_usec = moment.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *kept) {
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    if (kept) *kept = moment.tv_sec;
    return moment.tv_sec;
}
