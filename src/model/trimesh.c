// trimesh.c: what a surface of triangles encloses.
//
// A tetrahedron from a point o to a triangle a b c (seen from o) holds
//   volume V = a . (b x c) / 6, first moments V s / 4, second moments V (sum of v v^T + s s^T) / 20
// with s = a + b + c. Those of a closed surface, with their signs, add up to what it holds.
#include "model/trimesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void hn_trimesh_free(hn_trimesh *m) {
  free(m->corner), free(m->triangle);
  *m = (hn_trimesh){0};
}

// the other side becomes the outer one
static void turn_round(hn_trimesh *m) {
  for (int i = 0; i < m->triangles; i++) {
    int swap = m->triangle[i][1];
    m->triangle[i][1] = m->triangle[i][2], m->triangle[i][2] = swap;
  }
}

void hn_trimesh_scale(hn_trimesh *m, const double factor[3]) {
  for (int i = 0; i < m->corners; i++)
    for (int k = 0; k < 3; k++) m->corner[i][k] *= factor[k];
  // mirrored once or three times
  if (factor[0] * factor[1] * factor[2] < 0) turn_round(m);
}

// ---- moments -------------------------------------------------------------------------------

typedef struct moments {
  double volume, first[3], second[6];  // xx yy zz xy xz yz
} moments;

// From an origin near the middle of the mesh, where the signed tetrahedra are small and little
// cancels.
static void add_moments(moments *to, const hn_trimesh *m, int triangle, const double origin[3]) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double v[3][3], cross[3], s[3] = {0};
  for (int i = 0; i < 3; i++) {
    v3_sub(v[i], m->corner[m->triangle[triangle][i]], origin);
    // s is the sum of the corners, v4 of the tetrahedron being the origin
    v3_add(s, s, v[i]);
  }
  v3_cross(cross, v[1], v[2]);
  // signed: negative where the triangle faces the origin
  double volume = v3_dot(v[0], cross) / 6;
  to->volume += volume;
  v3_addto(to->first, volume / 4, s);
  for (int k = 0; k < 6; k++) {
    int p = row[k], q = column[k];
    double sum = s[p] * s[q];
    for (int i = 0; i < 3; i++) sum += v[i][p] * v[i][q];
    to->second[k] += volume / 20 * sum;
  }
}

static void bounds(const hn_trimesh *m, double low[3], double high[3]) {
  v3_set(low, INFINITY, INFINITY, INFINITY);
  v3_set(high, -INFINITY, -INFINITY, -INFINITY);
  // of no corners: infinite the wrong way round
  for (int i = 0; i < m->corners; i++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], m->corner[i][k]);
      high[k] = fmax(high[k], m->corner[i][k]);
    }
}

// Second moments about the centre, then the inertia: I_xx = C_yy + C_zz and so on.
void hn_trimesh_content(const hn_trimesh *m, double *volume, double centre[3], double inertia[6]) {
  double low[3], high[3], middle[3];
  moments sum = {0};
  bounds(m, low, high);
  for (int k = 0; k < 3; k++) middle[k] = 0.5 * (low[k] + high[k]);
  for (int i = 0; i < m->triangles; i++) add_moments(&sum, m, i, middle);
  double c[3], C[6];
  // the volume is that of a closed surface, and not zero
  v3_scale(c, 1 / sum.volume, sum.first);
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  // Steiner: from `middle` to the centre
  for (int k = 0; k < 6; k++) C[k] = sum.second[k] - sum.volume * c[row[k]] * c[column[k]];
  *volume = sum.volume;
  v3_add(centre, middle, c);
  inertia[0] = C[1] + C[2], inertia[1] = C[0] + C[2], inertia[2] = C[0] + C[1];
  for (int k = 3; k < 6; k++) inertia[k] = -C[k];
}

// ---- edges ---------------------------------------------------------------------------------

// edges by the smaller of their corners: the other one, + 1, negative where it comes first
typedef struct edges {
  int *start;  // of each corner's edges
  int *other;
} edges;

static int by_other(const void *a, const void *b) {
  // the sign only says which way
  int p = abs(*(const int *)a), q = abs(*(const int *)b);
  return (p > q) - (p < q);
}

// A counting sort by the smaller corner, shifted by two so that one array serves as counts, running
// places and starts; then a sort of each corner's few edges by the other end.
static bool find_edges(edges *e, const hn_trimesh *m) {
  e->start = calloc((size_t)m->corners + 2, sizeof *e->start);
  // a byte more: malloc(0) may be NULL
  e->other = malloc(3 * (size_t)m->triangles * sizeof *e->other + 8);
  if (!e->start || !e->other) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < m->triangles; i++)
      for (int k = 0; k < 3; k++) {
        int p = m->triangle[i][k], q = m->triangle[i][(k + 1) % 3];
        int low = p < q ? p : q, high = p < q ? q : p;
        // counts first, then places
        if (pass)
          e->other[e->start[low + 1]++] = p < q ? high + 1 : -(high + 1);
        else
          e->start[low + 2]++;
      }
    for (int i = 2; !pass && i <= m->corners + 1; i++) e->start[i] += e->start[i - 1];
  }
  // after the second pass starts have moved on by one place, which makes start[i] that of corner i
  for (int i = 0; i < m->corners; i++)
    qsort(e->other + e->start[i], (size_t)(e->start[i + 1] - e->start[i]), sizeof *e->other,
          by_other);
  return true;
}

// Where it is, in the coordinates of the file: programs that repair meshes want to know.
static hn_status fail_edge(const hn_trimesh *m, int p, int q, int count, char message[HN_MESSAGE]) {
  const double *a = m->corner[p], *b = m->corner[q];
  const char *why = count == 1       ? "belongs to one triangle only: the surface is not closed"
                    : count % 2 == 0 ? "is passed the same way by the triangles beside it: one of "
                                       "them is turned round"
                                     : "belongs to an odd number of triangles";
  return hn_fail(message, HN_ERR_MODEL, "the edge from (%g, %g, %g) to (%g, %g, %g) %s", a[0], a[1],
                 a[2], b[0], b[1], b[2], why);
}

// every edge is passed as often one way as the other
// As often one way as the other: edges of more than two triangles are allowed, where parts touch.
static hn_status check_edges(const hn_trimesh *m, const edges *e, char message[HN_MESSAGE]) {
  for (int i = 0; i < m->corners; i++)
    for (int k = e->start[i]; k < e->start[i + 1];) {
      int other = abs(e->other[k]), sum = 0, count = 0;
      for (; k < e->start[i + 1] && abs(e->other[k]) == other; k++, count++)
        sum += e->other[k] > 0 ? 1 : -1;
      if (sum != 0) return fail_edge(m, i, other - 1, count, message);
    }
  return HN_OK;
}

// ---- parts ---------------------------------------------------------------------------------

// Union-find with path halving.
// so that chains get short without recursion
static int root_of(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

typedef struct part {
  double volume, low[3], high[3];
} part;

static void measure_part(part *p, const hn_trimesh *m, int triangle, const double middle[3]) {
  moments here = {0};
  add_moments(&here, m, triangle, middle);
  p->volume += here.volume;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double x = m->corner[m->triangle[triangle][i]][k];
      p->low[k] = fmin(p->low[k], x), p->high[k] = fmax(p->high[k], x);
    }
}

// touching counts as inside
static bool inside(const part *p, const part *of) {
  for (int k = 0; k < 3; k++)
    if (p->low[k] < of->low[k] || p->high[k] > of->high[k]) return false;
  return true;
}

// `sign`: of the whole volume. What counts the other way must be a hollow
// By bounding boxes, which is enough to tell a hollow from a neighbour turned inside out.
static hn_status check_parts(const part *p, int count, double sign, char message[HN_MESSAGE]) {
  for (int i = 0; i < count; i++) {
    bool hollow = false;
    if (sign * p[i].volume >= 0) continue;
    // parts of the right sense alone can have hollows
    for (int k = 0; k < count && !hollow; k++)
      hollow = sign * p[k].volume > 0 && inside(&p[i], &p[k]);
    if (!hollow)
      return hn_fail(message, HN_ERR_MODEL,
                     "the part between (%g, %g, %g) and (%g, %g, %g) is turned inside out",
                     p[i].low[0], p[i].low[1], p[i].low[2], p[i].high[0], p[i].high[1],
                     p[i].high[2]);
  }
  return HN_OK;
}

// numbers of the parts that corners belong to, in place of their parents; how many
static int number_parts(const hn_trimesh *m, int *parent, int *number) {
  int count = 0;
  for (int i = 0; i < m->corners; i++) parent[i] = i, number[i] = -1;
  // two of three corners are joined with the first
  for (int i = 0; i < m->triangles; i++)
    for (int k = 1; k < 3; k++)
      parent[root_of(parent, m->triangle[i][k])] = root_of(parent, m->triangle[i][0]);
  for (int i = 0; i < m->triangles; i++) {
    int root = root_of(parent, m->triangle[i][0]);
    if (number[root] < 0) number[root] = count++;
  }
  return count;
}

// The whole surface is turned round if its volume is negative: some programs write it so.
static hn_status close_parts(hn_trimesh *m, int *parent, int *number, char message[HN_MESSAGE]) {
  int count = number_parts(m, parent, number);
  if (count > HN_TRIMESH_PARTS)
    return hn_fail(message, HN_ERR_UNSUPPORTED, "the surface has %d separate parts, more than %d",
                   count, HN_TRIMESH_PARTS);
  part *p = malloc((size_t)count * sizeof *p + 8);
  if (!p) return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  // the size is that of the largest edge of the box
  double low[3], high[3], middle[3], volume = 0, size = 0;
  bounds(m, low, high);
  for (int k = 0; k < 3; k++) {
    middle[k] = 0.5 * (low[k] + high[k]);
    size = fmax(size, high[k] - low[k]);
  }
  for (int i = 0; i < count; i++) {
    p[i].volume = 0;
    v3_set(p[i].low, INFINITY, INFINITY, INFINITY);
    v3_set(p[i].high, -INFINITY, -INFINITY, -INFINITY);
  }
  for (int i = 0; i < m->triangles; i++)
    measure_part(&p[number[root_of(parent, m->triangle[i][0])]], m, i, middle);
  for (int i = 0; i < count; i++) volume += p[i].volume;
  hn_status status = check_parts(p, count, volume < 0 ? -1 : 1, message);
  // flat surfaces hold nothing but round-off
  if (!status && !(fabs(volume) > 1e-12 * size * size * size))
    status = hn_fail(message, HN_ERR_MODEL, "the surface holds no volume");
  if (!status && volume < 0) turn_round(m);
  free(p);
  return status;
}

// O(n log n) in the triangles.
hn_status hn_trimesh_close(hn_trimesh *m, char message[HN_MESSAGE]) {
  edges e = {0};
  int *parent = malloc((size_t)m->corners * sizeof *parent + 8);  // see find_edges()
  int *number = malloc((size_t)m->corners * sizeof *number + 8);
  hn_status status = HN_ERR_MEMORY;
  if (parent && number && find_edges(&e, m))
    status = check_edges(m, &e, message);
  else
    hn_fail(message, HN_ERR_MEMORY, "out of memory");
  if (!status) status = close_parts(m, parent, number, message);
  free(parent), free(number), free(e.start), free(e.other);
  return status;
}

// ---- pictures ------------------------------------------------------------------------------

// corners of the same cell of a grid become one, in their middle
// Rossignac's and Borrel's vertex clustering: crude and robust. Corners of a cell meet in their
// mean.
static bool cluster(hn_trimesh *out, const hn_trimesh *m, int cells, int *name, int *members) {
  double low[3], high[3], size = 0;
  hn_trimesh_finder find = {.mesh = out};
  bool ok = true;
  *out = (hn_trimesh){0};
  bounds(m, low, high);
  for (int k = 0; k < 3; k++) size = fmax(size, high[k] - low[k]);
  for (int i = 0; i < m->corners && ok; i++) {
    double cell[3];
    for (int k = 0; k < 3; k++) cell[k] = floor((m->corner[i][k] - low[k]) / size * cells);
    name[i] = hn_trimesh_corner(&find, cell);
    ok = name[i] >= 0;  // cells are found as corners are: by equal numbers
  }
  free(find.slot);
  for (int i = 0; i < out->corners; i++) v3_set(out->corner[i], 0, 0, 0), members[i] = 0;
  for (int i = 0; i < m->corners && ok; i++)
    v3_add(out->corner[name[i]], out->corner[name[i]], m->corner[i]), members[name[i]]++;
  // not reached after a failure, where members may be 0
  for (int i = 0; i < out->corners; i++) v3_scale(out->corner[i], 1.0 / members[i], out->corner[i]);
  for (int i = 0; i < m->triangles && ok; i++) {
    const int *t = m->triangle[i];
    // triangles within a cell vanish
    ok = hn_trimesh_triangle(out, name[t[0]], name[t[1]], name[t[2]]);
  }
  return ok;
}

static bool copy(hn_trimesh *out, const hn_trimesh *m) {
  *out = (hn_trimesh){.corners = m->corners, .triangles = m->triangles};
  out->corner = malloc((size_t)m->corners * sizeof *m->corner + 8);
  out->triangle = malloc((size_t)m->triangles * sizeof *m->triangle + 8);
  if (!out->corner || !out->triangle) return false;
  memcpy(out->corner, m->corner, (size_t)m->corners * sizeof *m->corner);
  memcpy(out->triangle, m->triangle, (size_t)m->triangles * sizeof *m->triangle);
  return true;
}

// Coarser grids until few enough are left; each pass is linear.
// without any where even one cell has too many
hn_status hn_trimesh_thin(hn_trimesh *out, const hn_trimesh *m, int triangles) {
  int *name = malloc((size_t)m->corners * sizeof *name + 8);
  int *members = malloc((size_t)m->corners * sizeof *members + 8);
  bool ok = name && members;
  *out = (hn_trimesh){0};
  if (ok && m->triangles <= triangles) ok = copy(out, m);
  // a quarter less each time
  for (int cells = 256; ok && m->triangles > triangles; cells = cells * 3 / 4) {
    hn_trimesh_free(out);
    ok = cluster(out, m, cells, name, members);
    if (out->triangles <= triangles) break;
  }
  free(name), free(members);
  if (ok) return HN_OK;
  hn_trimesh_free(out);
  return HN_ERR_MEMORY;
}
