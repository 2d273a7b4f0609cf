/* A disk that takes 2 ms more to make anything durable, for whichever process is started with this in LD_PRELOAD. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int slowly(int result) {
  struct timespec more = {0, 2000000};
  nanosleep(&more, 0);
  return result;
}

int fsync(int file) { return slowly(syscall(SYS_fsync, file)); }
int fdatasync(int file) { return slowly(syscall(SYS_fdatasync, file)); }
