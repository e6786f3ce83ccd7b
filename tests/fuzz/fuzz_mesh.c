// fuzz_mesh.c: any bytes as a file of triangles. A libFuzzer target; corpus_mesh/ holds the seeds,
// whose first byte says of which kind they are.
#include "model/trimesh.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1), message[HN_MESSAGE] = "";
  const char *path = size && *data == 's' ? "f.stl" : size && *data == 'o' ? "f.obj" : "f.dae";
  hn_trimesh mesh;
  require(text != NULL);
  if (size) memcpy(text, data + 1, size - 1);
  size_t length = size ? size - 1 : 0;
  text[length] = 0;
  if (hn_trimesh_parse(&mesh, text, length, path, message)) {
    require(strncmp(message, path, 5) == 0 && strlen(message) > 7);
  } else {
    require(mesh.triangles > 0);
    for (int i = 0; i < mesh.triangles; i++)
      for (int k = 0; k < 3; k++)
        require(mesh.triangle[i][k] >= 0 && mesh.triangle[i][k] < mesh.corners);
    hn_trimesh_close(&mesh, message);
    hn_trimesh_free(&mesh);
  }
  free(text);
  return 0;
}
