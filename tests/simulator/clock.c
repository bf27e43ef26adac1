// Real Node whose clock is held, so that a run depends on no neighbour: a library that is loaded before
// Node's own (LD_PRELOAD). Only two things pass time: a sleep, which takes no real time, and a delay that
// the schedule has at a reading of the loop's clock. `clock.mjs` compiles and drives the library.
//
// With HELD_COPIES the library also saves Node's start: where Node first looks at the program's file, the
// process waits for schedules on its standard input, and for each it makes a copy of itself that runs
// the program. A copy has the first thread alone, so Node is started with --single-threaded.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000LL
#define TURN_NS 20000 // as TURN_MS of lab/simulator/inside/loop.js
#define MOST_DESCRIPTORS 32
#define MOST_DELAYS 32
#define MOST_THREADS 64
#define MOST_OUTPUT (8 << 20)
#define MOST_CPU_S 3
#define MOST_S 60
#define ANSWERS 3 // a file descriptor, as standard output is the program's

static pthread_t main_thread, early_threads[MOST_THREADS];
static int early_count;
static const char *program; // whose copies are wanted
static int is_wanted, is_copy, is_held, by_cpu;
static int64_t held_ns, cpu_ns;
static long readings;
static struct { long reading; int ms; } delays[MOST_DELAYS];
static int delay_count;

static long raw(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

static int64_t read_ns(clockid_t id) {
  struct timespec at;
  raw(SYS_clock_gettime, id, (long)&at, 0, 0, 0, 0);
  return at.tv_sec * 1000 * MS + at.tv_nsec;
}

static int is_main(void) { return pthread_equal(pthread_self(), main_thread); }

/** Time that code takes, where the schedule is that of the processor. */
static void pass_cpu(void) {
  if (!by_cpu) return;
  int64_t now = read_ns(CLOCK_THREAD_CPUTIME_ID);
  held_ns += now - cpu_ns;
  cpu_ns = now;
}

int clock_gettime(clockid_t id, struct timespec *at) {
  int is_loop = id == CLOCK_MONOTONIC_COARSE;
  if (!is_held || !is_main() || (!is_loop && id != CLOCK_MONOTONIC))
    return (int)raw(SYS_clock_gettime, id == CLOCK_MONOTONIC_COARSE ? CLOCK_MONOTONIC : id,
                    (long)at, 0, 0, 0, 0);
  pass_cpu();
  if (is_loop) {
    for (int n = 0; n < delay_count; n++)
      if (delays[n].reading == readings) held_ns += delays[n].ms * MS;
    readings++;
  }
  at->tv_sec = held_ns / (1000 * MS);
  at->tv_nsec = held_ns % (1000 * MS);
  return 0;
}

/** libuv reads the coarse clock for its loop, and for nothing else, where that clock is fine enough. */
int clock_getres(clockid_t id, struct timespec *at) {
  int result = (int)raw(SYS_clock_getres, id, (long)at, 0, 0, 0, 0);
  if (id == CLOCK_MONOTONIC_COARSE && at) {
    at->tv_sec = 0;
    at->tv_nsec = MS;
  }
  return result;
}

int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout, const sigset_t *mask) {
  if (!is_held || !is_main())
    return (int)raw(SYS_epoll_pwait, fd, (long)events, most, timeout, (long)mask, 8);
  pass_cpu();
  int wait = timeout < 0 ? timeout : 0;
  int count = (int)raw(SYS_epoll_pwait, fd, (long)events, most, wait, (long)mask, 8);
  if (by_cpu) cpu_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
  if (timeout == 0 && !by_cpu) held_ns += TURN_NS;
  if (count == 0 && timeout > 0)
    held_ns = (by_cpu ? held_ns : held_ns / MS * MS) + timeout * MS;
  return count;
}

int epoll_wait(int fd, struct epoll_event *events, int most, int timeout) {
  return epoll_pwait(fd, events, most, timeout, NULL);
}

/** The clock is held from the program's first statement, `process.umask()`, on. */
mode_t umask(mode_t mask) {
  if (!is_held && is_wanted) {
    held_ns = (read_ns(CLOCK_MONOTONIC) / MS + 1) * MS;
    cpu_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
    readings = 0;
    is_held = 1;
  }
  return (mode_t)raw(SYS_umask, mask, 0, 0, 0, 0, 0);
}

/** "READING:MS,READING:MS", nothing, or "cpu". */
static void take_schedule(const char *text) {
  by_cpu = text && strncmp(text, "cpu", 3) == 0;
  delay_count = 0;
  for (const char *at = text; at && *at && !by_cpu && delay_count < MOST_DELAYS;) {
    long reading;
    int ms;
    if (sscanf(at, "%ld:%d", &reading, &ms) == 2) {
      delays[delay_count].reading = reading;
      delays[delay_count++].ms = ms;
    }
    at = strchr(at, ',');
    if (at) at++;
  }
}

static void put(const void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    long count = raw(SYS_write, ANSWERS, (long)bytes + done, length - done, 0, 0, 0);
    if (count <= 0) _exit(0);
    done += count;
  }
}

/** A copy shares what wakes the loop with the next one: what its end has left there is taken out. */
static void take_wakes(void) {
  char name[64], target[64];
  uint64_t wakes;
  for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, target, sizeof target - 1);
    if (length < 0) continue;
    target[length] = 0;
    if (strstr(target, "[eventfd]") && fcntl(fd, F_GETFL) & O_NONBLOCK)
      raw(SYS_read, fd, (long)&wakes, sizeof wakes, 0, 0, 0);
  }
}

/** The process that makes copies: a line in, then out the length, the status, and what was printed. */
static void serve(void) {
  static char line[4096];
  for (;;) {
    size_t length = 0;
    while (length < sizeof line - 1) {
      if (raw(SYS_read, STDIN_FILENO, (long)line + length, 1, 0, 0, 0) != 1) _exit(0);
      if (line[length] == '\n') break;
      length++;
    }
    line[length] = 0;
    int ends[2];
    if (pipe(ends)) _exit(1);
    pid_t child = fork();
    if (child == 0) {
      is_copy = 1;
      struct rlimit limit = {MOST_CPU_S, MOST_CPU_S};
      setrlimit(RLIMIT_CPU, &limit);
      alarm(MOST_S); // one that waits for a thread which a copy has not
      int none = open("/dev/null", O_RDWR);
      dup2(none, STDIN_FILENO);
      dup2(ends[1], STDOUT_FILENO);
      dup2(none, STDERR_FILENO);
      close(none);
      close(ends[0]);
      close(ends[1]);
      take_schedule(line);
      return;
    }
    close(ends[1]);
    char *text = malloc(MOST_OUTPUT);
    size_t size = 0;
    for (;;) {
      long count = raw(SYS_read, ends[0], (long)text + size, MOST_OUTPUT - size, 0, 0, 0);
      if (count <= 0) break;
      size += count;
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    take_wakes();
    uint32_t head[2] = {(uint32_t)size, (uint32_t)status};
    put(head, sizeof head);
    put(text, size);
    free(text);
  }
}

long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_statx && program && !is_copy && !is_held && is_main() && b &&
      strcmp((const char *)b, program) == 0)
    serve();
  return raw(number, a, b, c, d, e, f);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                   void *argument) {
  static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!next) next = (void *)dlsym(RTLD_NEXT, "pthread_create");
  int result = next(thread, attributes, body, argument);
  if (!is_copy && result == 0 && early_count < MOST_THREADS) early_threads[early_count++] = *thread;
  return result;
}

/** A copy has none of the threads that were there before, so there is nothing to wait for. */
int pthread_join(pthread_t thread, void **value) {
  static int (*next)(pthread_t, void **);
  if (!next) next = (void *)dlsym(RTLD_NEXT, "pthread_join");
  if (is_copy)
    for (int n = 0; n < early_count; n++)
      if (pthread_equal(early_threads[n], thread)) return 0;
  return next(thread, value);
}

/** What such a thread held or waited for cannot be given back. */
int pthread_cond_destroy(pthread_cond_t *condition) {
  static int (*next)(pthread_cond_t *);
  if (!next) next = (void *)dlvsym(RTLD_NEXT, "pthread_cond_destroy", "GLIBC_2.3.2");
  return is_copy || !next ? 0 : next(condition);
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  static int (*next)(pthread_mutex_t *);
  if (!next) next = (void *)dlsym(RTLD_NEXT, "pthread_mutex_destroy");
  return is_copy ? 0 : next(mutex);
}

/** V8 wants its memory to be left out of copies. */
int madvise(void *start, size_t length, int advice) {
  if (advice == MADV_DONTFORK) return 0;
  return (int)raw(SYS_madvise, (long)start, (long)length, advice, 0, 0, 0);
}

__attribute__((constructor)) static void begin(void) {
  main_thread = pthread_self();
  program = getenv("HELD_COPIES");
  const char *schedule = getenv("HELD_SCHEDULE");
  is_wanted = program || schedule;
  take_schedule(schedule);
  for (const char **name = (const char *[]){"LD_PRELOAD", "HELD_COPIES", "HELD_SCHEDULE", NULL}; *name;)
    unsetenv(*name++);
}
