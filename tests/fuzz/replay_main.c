// replay_main.c: runs a fuzz target once on every file of a folder, without libFuzzer.
//
// Every build replays what fuzzing has found so far this way. A failure ends the program, so each
// file is named before it is tried.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int not_hidden(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

// the buffer is exactly as long as the file, so that sanitizers see a read past its end
static int replay(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  uint8_t *data = size < 0 ? NULL : malloc(size ? (size_t)size : 1);
  rewind(file);
  int ok = data && fread(data, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  if (ok) LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  return ok;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  int passed = 0, failed = 0;
  struct dirent **entry;
  int count = scandir(argv[1], &entry, not_hidden, alphasort);
  if (count <= 0) {
    printf("%s: no files to replay\n", argv[1]);
    failed++;
  }
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", argv[1], entry[i]->d_name);
    printf("%s\n", path);
    fflush(stdout);
    if (replay(path)) {
      passed++;
    } else {
      failed++;
      printf("%s: cannot be read\n", path);
    }
    free(entry[i]);
  }
  if (count >= 0) free(entry);
  printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
