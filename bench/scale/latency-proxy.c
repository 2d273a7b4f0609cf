/*
 * A TCP proxy that delays every byte by the same time in each direction: `latency-proxy <port> <delay in µs>`. Listens
 * on a free port of 127.0.0.1, prints it, forwards to <port>, and ends when its standard input ends.
 *
 * Not in Node: its timers have a resolution of 1 ms, and a busy loop would take a core from the programs under test.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* One of the two sockets of a connection. Never freed: a benchmark opens few connections. */
struct side {
  int fd;
  struct side *peer;
  /* Due, but the socket was full. */
  struct chunk *backlog, **backlog_end;
  int has_ended; /* nothing more is read from it */
  int is_shut;   /* nothing more is written to it */
};

/* Bytes on their way to a side. No bytes: the end of the stream. */
struct chunk {
  struct chunk *next;
  struct side *to;
  long long due;
  size_t length, written;
  char bytes[];
};

/* All chunks have the same delay, so one queue is in the order of their due times. */
static struct chunk *queue, **queue_end = &queue;
/* A busy machine wakes it later still, but polling for longer would make that worse (ns). */
static const long long max_lateness = 60000;
static int epoll, listener;
static long long delay;
static struct sockaddr_in target;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void watch(struct side *side, int operation) {
  struct epoll_event event = {.data.ptr = side};
  event.events = (side->has_ended ? 0 : EPOLLIN) | (side->backlog ? EPOLLOUT : 0);
  epoll_ctl(epoll, operation, side->fd, &event);
}

static void close_side(struct side *side) {
  if (side->fd < 0) return;
  close(side->fd);
  side->fd = -1;
  side->has_ended = side->is_shut = 1;
}

static void close_both(struct side *side) {
  close_side(side);
  close_side(side->peer);
}

/* Returns whether the chunk is done with, because it was written or can never be. */
static int write_chunk(struct chunk *chunk) {
  struct side *to = chunk->to;
  if (to->is_shut) return 1;
  if (chunk->length == 0) {
    shutdown(to->fd, SHUT_WR);
    to->is_shut = 1;
    if (to->has_ended && to->peer->is_shut) close_both(to);
    return 1;
  }
  while (chunk->written < chunk->length) {
    ssize_t length = send(to->fd, chunk->bytes + chunk->written, chunk->length - chunk->written, MSG_NOSIGNAL);
    if (length < 0) {
      if (errno == EAGAIN) return 0;
      close_both(to);
      return 1;
    }
    chunk->written += length;
  }
  return 1;
}

static void deliver_due(void) {
  while (queue && queue->due <= now()) {
    struct chunk *chunk = queue;
    struct side *to = chunk->to;
    queue = chunk->next;
    if (!queue) queue_end = &queue;
    chunk->next = NULL;
    if (to->backlog || !write_chunk(chunk)) {
      *to->backlog_end = chunk;
      to->backlog_end = &chunk->next;
      if (to->backlog == chunk) watch(to, EPOLL_CTL_MOD);
    } else {
      free(chunk);
    }
  }
}

static void write_backlog(struct side *side) {
  while (side->backlog && write_chunk(side->backlog)) {
    struct chunk *next = side->backlog->next;
    free(side->backlog);
    side->backlog = next;
  }
  if (!side->backlog) side->backlog_end = &side->backlog;
  if (side->fd >= 0) watch(side, EPOLL_CTL_MOD);
}

static void receive(struct side *side) {
  static char buffer[1 << 16];
  ssize_t length = recv(side->fd, buffer, sizeof buffer, 0);
  if (length < 0) {
    if (errno != EAGAIN) close_both(side);
    return;
  }
  struct chunk *chunk = malloc(sizeof *chunk + length);
  if (!chunk) fail("malloc");
  *chunk = (struct chunk){.to = side->peer, .due = now() + delay, .length = length};
  memcpy(chunk->bytes, buffer, length);
  *queue_end = chunk;
  queue_end = &chunk->next;
  if (length == 0) {
    side->has_ended = 1;
    watch(side, EPOLL_CTL_MOD);
  }
}

static struct side *new_side(int fd) {
  int yes = 1;
  struct side *side = calloc(1, sizeof *side);
  if (!side) fail("calloc");
  side->fd = fd;
  side->backlog_end = &side->backlog;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return side;
}

static void accept_connection(void) {
  int near = accept(listener, NULL, NULL);
  if (near < 0) return;
  int far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (far < 0 || connect(far, (struct sockaddr *)&target, sizeof target) < 0) {
    if (far >= 0) close(far);
    close(near);
    return;
  }
  struct side *one = new_side(near), *other = new_side(far);
  one->peer = other;
  other->peer = one;
  watch(one, EPOLL_CTL_ADD);
  watch(other, EPOLL_CTL_ADD);
}

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  target = loopback(atoi(arguments[1]));
  delay = atoll(arguments[2]) * 1000;
  /* Otherwise the kernel may wake it up to 50 µs late. */
  prctl(PR_SET_TIMERSLACK, 1UL);

  struct sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 1024) < 0) fail("listen");
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);

  epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event on_listener = {.events = EPOLLIN, .data.ptr = &listener};
  struct epoll_event on_input = {.events = EPOLLIN, .data.ptr = NULL};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &on_listener) < 0) fail("epoll");
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &on_input) < 0) fail("standard input must be a pipe");

  /* How late the kernel usually wakes this process. It sleeps that much shorter, and polls for what is left. */
  long long lateness = 0;
  for (;;) {
    struct epoll_event events[64];
    deliver_due();
    long long wake_at = queue ? queue->due - lateness : 0;
    long long wait = wake_at - now();
    if (wait < 0) wait = 0;
    struct timespec timeout = {wait / 1000000000, wait % 1000000000};
    int ready = epoll_pwait2(epoll, events, 64, queue ? &timeout : NULL, NULL);
    if (ready < 0 && errno != EINTR) fail("epoll");
    if (ready == 0 && wait > 0) {
      lateness += (now() - wake_at - lateness) / 8;
      if (lateness > max_lateness) lateness = max_lateness;
    }
    for (int each = 0; each < ready; each += 1) {
      void *what = events[each].data.ptr;
      struct side *side = what;
      if (what == NULL) return 0;
      if (what == &listener) {
        accept_connection();
        continue;
      }
      if (side->fd >= 0 && events[each].events & EPOLLOUT) write_backlog(side);
      if (side->fd >= 0 && !side->has_ended && events[each].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(side);
      else if (side->fd >= 0 && events[each].events & EPOLLERR) close_both(side);
    }
  }
}
