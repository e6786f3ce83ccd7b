// trimesh_read.c: STL and OBJ files.
//
// STL knows no corners, only triangles: those with the same numbers are one. Faces of OBJ with more
// than three corners are cut into triangles from their first corner, which is exact for what they
// hold where they are flat, convex or not.
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "model/collada.h"
#include "model/trimesh.h"

static const double largest = 1e12;  // as everywhere in a model

// ---- corners -------------------------------------------------------------------------------

// FNV over the bits; zeros have one sign by then.
static size_t hash(const double x[3]) {
  uint64_t h = 1469598103934665603u;
  for (int i = 0; i < 3; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    // halves of the bits one by one: of floats turned into doubles the lower one is nearly empty
    h = (h ^ (bits >> 32)) * 1099511628211u;
    h = (h ^ (bits & 0xffffffffu)) * 1099511628211u;
  }
  return (size_t)(h ^ (h >> 29));
}

static bool grow_slots(hn_trimesh_finder *f) {
  size_t slots = f->slots ? 2 * f->slots : 1024;
  // 0 is a free slot: numbers of corners are kept one higher
  int *slot = calloc(slots, sizeof *slot);
  if (!slot) return false;
  for (int i = 0; i < f->mesh->corners; i++) {
    size_t at = hash(f->mesh->corner[i]) & (slots - 1);
    while (slot[at]) at = (at + 1) & (slots - 1);
    slot[at] = i + 1;
  }
  free(f->slot);
  f->slot = slot, f->slots = slots;
  return true;
}

// Exact equality: STL repeats corners bit by bit.
int hn_trimesh_corner(hn_trimesh_finder *f, const double at[3]) {
  hn_trimesh *m = f->mesh;
  const double x[3] = {at[0] + 0.0, at[1] + 0.0, at[2] + 0.0};  // there is one zero
  // at most half full
  if (2 * (size_t)(m->corners + 1) > f->slots && !grow_slots(f)) return -1;
  size_t place = hash(x) & (f->slots - 1);
  for (; f->slot[place]; place = (place + 1) & (f->slots - 1))
    if (memcmp(m->corner[f->slot[place] - 1], x, sizeof x) == 0) return f->slot[place] - 1;
  if (!hn_grow((void **)&m->corner, &m->corner_room, m->corners, sizeof *m->corner)) return -1;
  memcpy(m->corner[m->corners], x, sizeof x);
  f->slot[place] = ++m->corners;
  return m->corners - 1;
}

// Degenerate ones say nothing about a volume and would break the edges' count.
bool hn_trimesh_triangle(hn_trimesh *m, int a, int b, int c) {
  // two corners at one place: an edge would belong to nothing
  if (a == b || b == c || c == a) return true;
  if (!hn_grow((void **)&m->triangle, &m->triangle_room, m->triangles, sizeof *m->triangle))
    return false;
  int *t = m->triangle[m->triangles++];
  t[0] = a, t[1] = b, t[2] = c;
  return true;
}

// ---- a text --------------------------------------------------------------------------------

typedef struct source {
  hn_trimesh_finder find;
  // a zero stands behind the end, so looking one character ahead is safe
  const char *path, *at, *end;
  long line;
  char *message;
} source;

static hn_status broken(const source *s, const char *what) {
  return hn_fail(s->message, HN_ERR_SYNTAX, "%.300s:%ld: %s", s->path, s->line, what);
}

static hn_status fail_memory(const source *s) {
  return hn_fail(s->message, HN_ERR_MEMORY, "%.300s: out of memory", s->path);
}

// before memory is asked for
static hn_status check_count(const source *s) {
  if (s->find.mesh->triangles < HN_TRIMESH_TRIANGLES) return HN_OK;
  return hn_fail(s->message, HN_ERR_UNSUPPORTED, "%.300s: more than %d triangles", s->path,
                 HN_TRIMESH_TRIANGLES);
}

// blanks of a line, or with `lines` also its end
// A backslash at the end of a line continues it, in OBJ.
static void skip_blanks(source *s, bool lines) {
  for (; s->at < s->end; s->at++) {
    // looks one character ahead, at worst at that zero
    bool continued = *s->at == '\\' && (s->at[1] == '\n' || s->at[1] == '\r');
    if (*s->at == '\n' && !lines) return;
    if (*s->at == '\n') s->line++;
    if (continued && s->at[1] == '\r') s->at++;
    if (continued) s->at++, s->line++;
    if (!continued && !isspace((unsigned char)*s->at)) return;
  }
}

// the newline stays for skip_blanks(), which counts it
static void skip_line(source *s) {
  while (s->at < s->end && *s->at != '\n') s->at++;
}

// the next word into `out`, "" at the end
// Words longer than 63 characters are cut: none that matters is.
static void next_word(source *s, bool lines, char out[64]) {
  size_t n = 0;
  skip_blanks(s, lines);
  for (; s->at < s->end && !isspace((unsigned char)*s->at); s->at++)
    if (n < 63) out[n++] = *s->at;
  out[n] = 0;
}

static hn_status next_number(source *s, bool lines, double *x) {
  char word[64], *stop;
  next_word(s, lines, word);
  // of a word that was cut: no number is so long
  *x = strtod(word, &stop);
  if (!*word || *stop) return broken(s, "a coordinate is missing or no number");
  if (!(fabs(*x) <= largest)) return broken(s, "a coordinate is not finite or larger than 1e12");
  return HN_OK;
}

// ---- STL -----------------------------------------------------------------------------------

static hn_status stl_word(source *s, const char *wanted) {
  char word[64], what[96];
  next_word(s, true, word);
  if (strcasecmp(word, wanted) == 0) return HN_OK;
  snprintf(what, sizeof what, "'%s' is expected here", wanted);
  return broken(s, what);
}

// Words in any case; numbers over any lines.
static hn_status stl_facet(source *s) {
  char word[64];
  int corner[3];
  hn_status status = check_count(s);
  if (!status) status = stl_word(s, "normal");
  // what the normal says follows from the corners, and writers get it wrong
  // three words, whatever they are
  for (int i = 0; i < 3; i++) next_word(s, true, word);
  if (!status) status = stl_word(s, "outer");
  if (!status) status = stl_word(s, "loop");
  for (int i = 0; i < 3 && !status; i++) {
    double x[3];
    status = stl_word(s, "vertex");
    for (int k = 0; k < 3 && !status; k++) status = next_number(s, true, &x[k]);
    if (status) return status;
    corner[i] = hn_trimesh_corner(&s->find, x);
    if (corner[i] < 0) return fail_memory(s);
  }
  if (!status) status = stl_word(s, "endloop");
  if (!status) status = stl_word(s, "endfacet");
  if (status) return status;
  return hn_trimesh_triangle(s->find.mesh, corner[0], corner[1], corner[2]) ? HN_OK
                                                                            : fail_memory(s);
}

static hn_status read_stl_text(source *s) {
  hn_status status = HN_OK;
  bool inside = false;
  while (!status) {
    char word[64];
    next_word(s, true, word);
    // no word: the end
    if (!*word) return inside ? broken(s, "the file ends inside of a solid") : HN_OK;
    if (strcasecmp(word, "facet") == 0 && inside) {
      status = stl_facet(s);
    } else if (strcasecmp(word, inside ? "endsolid" : "solid") == 0) {
      inside = !inside;
      skip_line(s);  // its name
    } else {
      return broken(s, inside ? "'facet' or 'endsolid' is expected here"
                              : "'solid' is expected here (is this an STL file?)");
    }
  }
  return status;
}

// little-endian, as the format has it
static uint32_t word_at(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// 80 bytes, number of triangles, 50 bytes each: a normal, three corners, two bytes
// Normals are not looked at, as in text files.
static hn_status read_stl_binary(source *s, const unsigned char *bytes, uint32_t count) {
  if (count > HN_TRIMESH_TRIANGLES)
    return hn_fail(s->message, HN_ERR_UNSUPPORTED, "%.300s: more than %d triangles", s->path,
                   HN_TRIMESH_TRIANGLES);
  for (uint32_t i = 0; i < count; i++) {
    // behind the normal
    const unsigned char *p = bytes + 84 + 50 * (size_t)i + 12;
    int corner[3];
    for (int k = 0; k < 3; k++) {
      double x[3];
      for (int c = 0; c < 3; c++) {
        uint32_t bits = word_at(p + 12 * k + 4 * c);
        float value;
        // by way of the bits: the address need not be one of a float
        memcpy(&value, &bits, sizeof value);
        x[c] = (double)value;
        if (!(fabs(x[c]) <= largest))
          return hn_fail(s->message, HN_ERR_SYNTAX,
                         "%.300s: triangle %u: a coordinate is not finite or larger than 1e12",
                         s->path, (unsigned)i + 1);
      }
      corner[k] = hn_trimesh_corner(&s->find, x);
      if (corner[k] < 0) return fail_memory(s);
    }
    if (!hn_trimesh_triangle(s->find.mesh, corner[0], corner[1], corner[2])) return fail_memory(s);
  }
  return HN_OK;
}

// many binary files begin with "solid", too: their length tells
// A text file whose length fits the binary rule by chance would need a count that its letters
// spell.
static hn_status read_stl(source *s) {
  const unsigned char *bytes = (const unsigned char *)s->at;
  size_t length = (size_t)(s->end - s->at);
  uint32_t count = length >= 84 ? word_at(bytes + 80) : 0;
  // whole triangles, exactly as many as it says
  if (length >= 84 && (length - 84) / 50 == count && (length - 84) % 50 == 0)
    return read_stl_binary(s, bytes, count);
  skip_blanks(s, true);
  if (s->end - s->at >= 5 && strncasecmp(s->at, "solid", 5) == 0) return read_stl_text(s);
  // too short to say anything
  if (length < 84) return hn_fail(s->message, HN_ERR_SYNTAX, "%.300s: is no STL file", s->path);
  return hn_fail(s->message, HN_ERR_SYNTAX,
                 "%.300s: is no STL file, or not whole: it says %lu triangles and has room for %lu",
                 s->path, (unsigned long)count, (unsigned long)((length - 84) / 50));
}

// ---- OBJ -----------------------------------------------------------------------------------

typedef struct vertices {
  int *corner;  // of each line "v"
  int count, room;
} vertices;

// Corners at one place are one, whatever the file numbers them.
static hn_status obj_vertex(source *s, vertices *v) {
  double x[3];
  for (int k = 0; k < 3; k++) {
    hn_status status = next_number(s, false, &x[k]);
    if (status) return status;
  }
  // as many as separate triangles would have
  if (v->count >= 3 * HN_TRIMESH_TRIANGLES)
    return hn_fail(s->message, HN_ERR_UNSUPPORTED, "%.300s: too many corners", s->path);
  if (!hn_grow((void **)&v->corner, &v->room, v->count, sizeof *v->corner)) return fail_memory(s);
  v->corner[v->count] = hn_trimesh_corner(&s->find, x);
  if (v->corner[v->count++] < 0) return fail_memory(s);
  // after the number there may be others on the line
  skip_line(s);  // a weight or a colour
  return HN_OK;
}

// "7", "7/1", "7//3", "-1": numbers from 1, negative ones from the last
static hn_status obj_corner(const source *s, const vertices *v, const char *word, int *corner) {
  char *stop;
  long n = strtol(word, &stop, 10);
  if (stop == word || (*stop && *stop != '/')) return broken(s, "a corner of a face is no number");
  long index = n > 0 ? n - 1 : v->count + n;
  // 0 is no number of a corner
  if (n == 0 || index < 0 || index >= v->count)
    return broken(s, "a face names a corner that is not there");
  *corner = v->corner[index];
  return HN_OK;
}

static hn_status obj_face(source *s, const vertices *v) {
  // fan from the first corner
  int first = 0, last = 0, here = 0, count = 0;
  for (;; count++) {
    char word[64];
    next_word(s, false, word);
    if (!*word) break;
    hn_status status = obj_corner(s, v, word, &here);
    // the count is looked at for each triangle
    if (!status && count >= 2) status = check_count(s);
    if (status) return status;
    if (count == 0) first = here;
    if (count >= 2 && !hn_trimesh_triangle(s->find.mesh, first, last, here)) return fail_memory(s);
    last = here;
  }
  // an edge, a point, or nothing
  return count < 3 ? broken(s, "a face needs three corners") : HN_OK;
}

static hn_status read_obj(source *s) {
  vertices v = {0};
  hn_status status = HN_OK;
  while (!status) {
    char word[64];
    next_word(s, true, word);
    if (!*word) break;
    if (strcmp(word, "v") == 0)
      status = obj_vertex(s, &v);
    else if (strcmp(word, "f") == 0)
      status = obj_face(s, &v);
    else
      skip_line(s);  // normals, materials, names, remarks
  }
  free(v.corner);
  return status;
}

// ---- a file --------------------------------------------------------------------------------

// On failure the mesh is empty, and nothing is to be freed.
// the caller may free it nevertheless
hn_status hn_trimesh_parse(hn_trimesh *mesh, const char *text, size_t length, const char *path,
                           char message[HN_MESSAGE]) {
  *mesh = (hn_trimesh){0};
  source s = {.find = {.mesh = mesh},
              .path = path,
              .at = text,
              .end = text + length,
              .line = 1,
              .message = message};
  // the ending decides: contents do not tell safely
  bool stl = hn_path_ends(path, ".stl");
  bool dae = hn_path_ends(path, ".dae");
  if (!stl && !dae && !hn_path_ends(path, ".obj"))
    return hn_fail(message, HN_ERR_UNSUPPORTED,
                   "%.300s: meshes are read from .stl, .obj and .dae files", path);
  // numbers have a point, whatever the user's language
  // for this thread only: the program's own locale stays
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = plain ? uselocale(plain) : (locale_t)0;
  hn_status status = stl   ? read_stl(&s)
                     : dae ? hn_collada_read(&s.find, text, length, path, message)
                           : read_obj(&s);
  if (plain) uselocale(before), freelocale(plain);
  // needed for finding corners only
  free(s.find.slot);
  if (!status && mesh->triangles == 0)
    status = hn_fail(message, HN_ERR_SYNTAX, "%.300s: has no triangles", path);
  if (status) hn_trimesh_free(mesh);
  return status;
}

hn_status hn_trimesh_load(hn_trimesh *mesh, const char *path, char message[HN_MESSAGE]) {
  struct stat about;
  char *text = NULL;
  size_t length = 0;
  *mesh = (hn_trimesh){0};
  // pipes and devices never end
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
    return hn_fail(message, HN_ERR_FILE, "%.300s: is no file", path);
  if (stat(path, &about) == 0 && about.st_size > HN_TRIMESH_BYTES)
    return hn_fail(message, HN_ERR_UNSUPPORTED, "%.300s: is larger than %d MB", path,
                   HN_TRIMESH_BYTES >> 20);
  hn_status status = hn_load_file(&text, &length, path, message);
  if (!status) status = hn_trimesh_parse(mesh, text, length, path, message);
  free(text);
  return status;
}
