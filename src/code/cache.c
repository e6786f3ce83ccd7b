// cache.c: see cache.h. All goes through the open folder, so that nothing can be put in its place
// between looking and reading.
#include "code/cache.h"

#ifndef HN_NO_NATIVE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 512 };  // [characters] of a path

// "" when there is none
// paths that do not fit are no folder
static void folder_name(char path[PATH]) {
  const char *own = getenv("HOLON_CACHE"), *cache = getenv("XDG_CACHE_HOME"),
             *home = getenv("HOME");
  int length = -1;
  path[0] = 0;
  if (own && strcmp(own, "off") == 0) return;
  if (own && own[0])
    length = snprintf(path, PATH, "%s", own);
  else if (cache && cache[0] == '/')
    // XDG: relative paths are to be ignored
    length = snprintf(path, PATH, "%s/holon", cache);
  else if (home && home[0] == '/')
    length = snprintf(path, PATH, "%s/.cache/holon", home);
  if (length < 0 || length >= PATH) path[0] = 0;
}

// mine, and nobody else can have written it
// of the file that is open, not of a name that may mean another one by now
static bool is_mine(int file, bool folder) {
  struct stat s;
  return fstat(file, &s) == 0 && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH)) &&
         (folder ? S_ISDIR(s.st_mode) : S_ISREG(s.st_mode));
}

// with `make` it and what it lies in are made, for this user alone
// O_NOFOLLOW: the folder itself may be no link; those above it are as trustworthy as the home
static int open_folder(bool make) {
  char path[PATH];
  folder_name(path);
  if (!path[0]) return -1;
  // from the top down; what exists is taken as it is
  for (char *slash = strchr(path + 1, '/'); make && slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(path, 0700) && errno != EEXIST) make = false;
    *slash = '/';
  }
  if (make && mkdir(path, 0700) && errno != EEXIST) return -1;
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && is_mine(folder, true)) return folder;
  if (folder >= 0) close(folder);
  return -1;
}

// two hashes of 64 bits; what they find is compared as a whole all the same
static void name_of(const char *key, const char *ending, char name[48]) {
  // FNV-1a, and a second one with other constants
  uint64_t h = 0xcbf29ce484222325u, k = 0x9e3779b97f4a7c15u;
  for (const char *s = key; *s; s++) {
    h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    k = (k + (unsigned char)*s) * 0xff51afd7ed558ccdu, k ^= k >> 33;
  }
  snprintf(name, 48, "%016llx%016llx.%s", (unsigned long long)h, (unsigned long long)k, ending);
}

// by openat() in the folder that was looked at
static int open_file(int folder, const char *name) {
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file >= 0 && is_mine(file, false)) return file;
  if (file >= 0) close(file);
  return -1;
}

// piece by piece: keys hold whole sources
static bool same_text(int folder, const char *name, const char *key) {
  int file = open_file(folder, name);
  char part[4096];
  // keys are as long as the text they stand for
  size_t left = strlen(key);
  bool same = file >= 0;
  while (same) {
    ssize_t got = read(file, part, sizeof part);
    // read and compared; what is longer or shorter is another
    same = got >= 0 && (size_t)got <= left && memcmp(part, key, (size_t)(got > 0 ? got : 0)) == 0;
    if (got <= 0) break;
    key += got, left -= (size_t)got;
  }
  if (file >= 0) close(file);
  return same && left == 0;
}

// handles of one object are counted by the loader: who loads it twice gets the same functions
void *hn_cache_load(const char *key) {
  char name[48], object[48], path[96];
  int folder = open_folder(false), file = -1;
  if (folder < 0) return NULL;
  name_of(key, "key", name);
  name_of(key, "so", object);
  if (same_text(folder, name, key)) file = open_file(folder, object);
  // through the folder that was looked at; what is loaded already is known by this path, so that it
  // must end in a name of its own
  // the loader opens by path: that of the open folder
  snprintf(path, sizeof path, "/proc/self/fd/%d/%s", folder, object);
  void *handle = file >= 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (file >= 0) close(file);
  close(folder);
  return handle;
}

static bool write_all(int file, const char *bytes, size_t count) {
  while (count) {
    // writes may be cut short
    ssize_t done = write(file, bytes, count);
    if (done <= 0) return false;
    bytes += done, count -= (size_t)done;
  }
  return true;
}

static bool copy_all(int to, int from) {
  char part[65536];
  ssize_t got;
  while ((got = read(from, part, sizeof part)) > 0)
    if (!write_all(to, part, (size_t)got)) return false;
  return got == 0;
}

// all of the file or nothing; `from`: a file to copy, or -1: the text
// a draft of this process, then renamed: readers see all of it or nothing
static bool put(int folder, const char *name, const char *text, int from) {
  char draft[80];
  // a name that no other process has
  snprintf(draft, sizeof draft, "%s.%ld", name, (long)getpid());
  int file = openat(folder, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  bool good = from >= 0 ? copy_all(file, from) : write_all(file, text, strlen(text));
  good = close(file) == 0 && good && renameat(folder, draft, folder, name) == 0;
  // a draft is never left behind
  if (!good) unlinkat(folder, draft, 0);
  return good;
}

void hn_cache_keep(const char *key, const char *object) {
  char name[48];
  int folder = open_folder(true), from = -1;
  if (folder < 0) return;
  from = open(object, O_RDONLY | O_CLOEXEC);
  name_of(key, "so", name);
  // the key comes last: what it names is there
  if (from >= 0 && put(folder, name, NULL, from)) {
    name_of(key, "key", name);
    put(folder, name, key, -1);
  }
  if (from >= 0) close(from);
  close(folder);
}

#endif
