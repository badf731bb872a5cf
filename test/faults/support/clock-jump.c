/*
 * Preloaded (LD_PRELOAD) into a program: its wall clock is off by as many seconds as the file ONBOARD_TEST_CLOCK says, a 64-bit number that
 * a test changes while the program runs. The monotonic clock stays as it is.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *offset;

__attribute__((constructor)) static void attach(void) {
  const char *path = getenv("ONBOARD_TEST_CLOCK");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) offset = page;
  close(file);
}

static int64_t seconds_off(void) { return offset == NULL ? 0 : *offset; }

int clock_gettime(clockid_t clock, struct timespec *now) {
  int status = (int)syscall(SYS_clock_gettime, clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += seconds_off();
  return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int status = (int)syscall(SYS_gettimeofday, now, zone);
  if (status == 0) now->tv_sec += seconds_off();
  return status;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
