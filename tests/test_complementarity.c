// test_complementarity.c: complementarity problems by their own conditions, on random ones.
#include "linalg/complementarity.h"
#include "linalg/cones.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static unsigned long long seed = 20260;

static double uniform(void) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static hn_lcp *make(hn_arena *arena, int size) {
  static hn_lcp p;
  memset(arena, 0, sizeof *arena);
  for (int pass = 0; pass < 2; pass++) {
    hn_lcp_layout(&p, arena, size);
    if (pass == 0) CHECK(hn_arena_allocate(arena));
  }
  return &p;
}

// A = N N^T of the given rank
static void set_matrix(hn_lcp *p, int n, int rank, double *N) {
  for (int i = 0; i < n * rank; i++) N[i] = uniform();
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int j = 0; j < rank; j++) sum += N[i * rank + j] * N[k * rank + j];
      p->A[i * n + k] = sum;
    }
}

static double worst_condition(const hn_lcp *p, int n) {
  double worst = 0, size = 1e-300;
  for (int i = 0; i < n; i++) {
    double y = p->b[i], terms = fabs(p->b[i]);
    for (int k = 0; k < n; k++)
      y += p->A[i * n + k] * p->x[k], terms += fabs(p->A[i * n + k] * p->x[k]);
    size = fmax(size, terms);
    worst = fmax(worst, fmax(-y, p->x[i] < 0 ? INFINITY : 0));
    if (p->x[i] > 0) worst = fmax(worst, fabs(y));
    if (p->x[i] > 0) CHECK(p->in[i]);
  }
  return worst / size;
}

// contacts: b = N v is in the range of A, also where that is singular
static void random_contacts(void) {
  enum { MOST = 24 };
  hn_arena arena;
  hn_lcp *p = make(&arena, MOST);
  double N[MOST * MOST], v[MOST], worst = 0;
  int solved = 0, singular = 0;
  for (int trial = 0; trial < 2000; trial++) {
    int n = 1 + trial % MOST, rank = 1 + (trial / MOST) % MOST;
    unsigned long long began = seed;
    set_matrix(p, n, rank, N);
    for (int j = 0; j < rank; j++) v[j] = uniform();
    for (int i = 0; i < n; i++) {
      p->b[i] = 0;
      for (int j = 0; j < rank; j++) p->b[i] += N[i * rank + j] * v[j];
    }
    bool ok = hn_lcp_solve(p, n, 1e-12);
    double off = ok ? worst_condition(p, n) : 1;
    if (!ok || off > 1e-9) printf("  seed %llu: n %d rank %d off %.1e\n", began, n, rank, off);
    CHECK(ok);
    solved += ok;
    singular += rank < n;
    worst = fmax(worst, off);
  }
  printf("  %d problems, %d of them singular, worst condition %.1e\n", solved, singular, worst);
  CHECK(worst < 1e-9 && singular > 500);
  free(arena.base);
}

// two walls that approach a body held between them cannot both keep away
static void no_solution(void) {
  hn_arena arena;
  hn_lcp *p = make(&arena, 2);
  memcpy(p->A, (double[]){1, -1, -1, 1}, 4 * sizeof(double));
  memcpy(p->b, (double[]){-1, -1}, 2 * sizeof(double));
  CHECK(!hn_lcp_solve(p, 2, 1e-12));
  // one that recedes as fast as the other comes leaves room
  memcpy(p->b, (double[]){-1, 1}, 2 * sizeof(double));
  CHECK(hn_lcp_solve(p, 2, 1e-12));
  CHECK_NEAR(p->x[0] - p->x[1], 1, 1e-14);
  // dependent columns whose demands differ: the one that asks for more takes over
  memcpy(p->A, (double[]){1, 1, 1, 1}, 4 * sizeof(double));
  memcpy(p->b, (double[]){-1, -1.5}, 2 * sizeof(double));
  CHECK(hn_lcp_solve(p, 2, 1e-12));
  CHECK_NEAR(p->x[0], 0, 1e-14);
  CHECK_NEAR(p->x[1], 1.5, 1e-14);
  free(arena.base);
}

// by how much friction k disobeys Coulomb's law, relative to the sizes of x and y
static double cone_offence(const hn_cone *c, const double *x, const double *y, double force,
                           double size) {
  double r = hn_cone_radius(c, x), n = 0, slip = 0, along = 0;
  for (int i = c->first; i < c->first + c->size; i++)
    n += x[i] * x[i], slip += y[i] * y[i], along += x[i] * y[i];
  n = sqrt(n), slip = sqrt(slip);
  double worst = fmax(0, n - r) / force;
  if (n < r - 1e-9 * force) return fmax(worst, slip / size);
  return fmax(worst, fabs(along + n * slip) / (force * size));
}

// random contacts with friction, more of them than there is freedom, in lines and planes
static void random_frictions(void) {
  enum { CONES = 6, MOST = 3 * CONES, FREE = 12 };
  double N[MOST * FREE], A[MOST * MOST], b[MOST], x[MOST], y[MOST], worst = 0, size;
  int sticking = 0, sliding = 0;
  for (int trial = 0; trial < 400; trial++) {
    int gaps = trial % 4, m = gaps, which;
    hn_cone cone[CONES];
    for (int k = 0; k < CONES; k++) {
      cone[k] = (hn_cone){.first = m, .size = 1 + (trial + k) % 2, .normal = k < gaps ? k : -1};
      cone[k].coefficient = 0.2, cone[k].radius = fabs(uniform());
      m += cone[k].size;
    }
    for (int i = 0; i < m * FREE; i++) N[i] = uniform();
    for (int i = 0; i < m; i++)
      for (int k = 0; k < m; k++) {
        A[i * m + k] = 0;
        for (int j = 0; j < FREE; j++) A[i * m + k] += N[i * FREE + j] * N[k * FREE + j];
      }
    double v[FREE], force = 0;
    for (int j = 0; j < FREE; j++) v[j] = 3 * uniform();
    for (int i = 0; i < m; i++) {
      b[i] = x[i] = 0;
      for (int j = 0; j < FREE; j++) b[i] += N[i * FREE + j] * v[j];
    }
    if (!CHECK(hn_cones_solve(A, m, b, gaps, m, cone, CONES, x, y, &which, &size) ==
               HN_CONES_FOUND))
      continue;
    for (int i = 0; i < m; i++) force = fmax(force, fabs(x[i]));
    for (int i = 0; i < gaps; i++)
      worst = fmax(worst, fmax(-fmin(x[i], 0), fmax(-y[i], fabs(x[i] > 0 ? y[i] : 0))) / size);
    for (int k = 0; k < CONES && force > 0; k++) {
      double here = cone_offence(&cone[k], x, y, force, size);
      worst = fmax(worst, here);
      bool slides = fabs(y[cone[k].first]) > 1e-9 * size;
      slides ? sliding++ : sticking++;
    }
  }
  printf("  400 problems: %d frictions stick, %d slide, Coulomb's law to %.1e\n", sticking, sliding,
         worst);
  CHECK(worst < 1e-8 && sticking > 100 && sliding > 100);
}

// Frictions alone, more than there is freedom, and loads about as large as what they can hold:
// rounds creep there. What holds is found near the first guess
static void frictions_at_their_limit(void) {
  enum { CONES = 6, MOST = 3 * CONES, FREE = 3 };
  double N[MOST * FREE], A[MOST * MOST], b[MOST], x[MOST], y[MOST], worst = 0, size = 0;
  hn_discs_room room = {0};
  hn_arena arena = {0};
  int sticking = 0, sliding = 0;
  hn_discs_layout(&room, &arena, CONES);
  CHECK(hn_arena_allocate(&arena));
  hn_discs_layout(&room, &arena, CONES);
  for (int trial = 0; trial < 400; trial++) {
    int m = 0;
    hn_cone cone[CONES];
    for (int k = 0; k < CONES; k++) {
      cone[k] = (hn_cone){.first = m, .size = 1 + (trial + k) % 3, .normal = -1};
      cone[k].radius = 0.1 + fabs(uniform());
      m += cone[k].size;
    }
    for (int i = 0; i < m * FREE; i++) N[i] = uniform();
    for (int i = 0; i < m; i++)
      for (int k = 0; k < m; k++) {
        A[i * m + k] = 0;
        for (int j = 0; j < FREE; j++) A[i * m + k] += N[i * FREE + j] * N[k * FREE + j];
      }
    // the load that all of them hold at their limits, each in a direction that would be that of one
    // motion, and a hair more or less
    double v[FREE], load[FREE] = {0}, part = 1 + (trial % 2 ? 1 : -1) * pow(10, -1 - trial % 7);
    for (int j = 0; j < FREE; j++) v[j] = uniform();
    for (int k = 0; k < CONES; k++) {
      double u[3], speed = 0;
      for (int i = 0; i < cone[k].size; i++) {
        u[i] = 0;
        for (int j = 0; j < FREE; j++) u[i] += N[(cone[k].first + i) * FREE + j] * v[j];
        speed += u[i] * u[i];
      }
      for (int i = 0; i < cone[k].size; i++)
        for (int j = 0; j < FREE; j++)
          load[j] += part * cone[k].radius * u[i] / sqrt(speed) * N[(cone[k].first + i) * FREE + j];
    }
    for (int i = 0; i < m; i++) {
      b[i] = x[i] = 0;
      for (int j = 0; j < FREE; j++) b[i] += N[i * FREE + j] * load[j];
    }
    size = 0;
    if (!CHECK(hn_cones_hold(A, m, b, m, cone, CONES, x, y, &size, &room) == HN_CONES_FOUND))
      continue;
    bool slides = false;
    for (int k = 0; k < CONES; k++) {
      worst = fmax(worst, cone_offence(&cone[k], x, y, 5 * cone[k].radius, size));
      for (int i = 0; i < cone[k].size; i++) slides |= fabs(y[cone[k].first + i]) > 1e-9 * size;
    }
    // below the limit of all nothing moves, beyond it something must
    CHECK(slides == (trial % 2 == 1));
    slides ? sliding++ : sticking++;
  }
  printf("  400 at their limits: %d hold, %d give way, Coulomb's law to %.1e\n", sticking, sliding,
         worst);
  CHECK(worst < 1e-7);
  free(arena.base);
}

// Contacts in a plane, rough enough that rounds often find nothing, and some that slide already:
// pivots find what obeys the laws, or say that they do not
static void rough_contacts(void) {
  enum { CONES = 4, MOST = 2 * CONES, FREE = 3 };
  double N[MOST * FREE], A[MOST * MOST], b[MOST], x[MOST], y[MOST], worst = 0, size;
  hn_lemke room = {0};
  hn_arena arena = {0};
  hn_lemke_layout(&room, &arena, hn_cones_pivots(CONES, CONES));
  CHECK(hn_arena_allocate(&arena));
  hn_lemke_layout(&room, &arena, hn_cones_pivots(CONES, CONES));
  int found = 0, none = 0, rescued = 0;
  for (int trial = 0; trial < 1000; trial++) {
    hn_cone cone[CONES];
    for (int k = 0; k < CONES; k++) {
      bool slides = (trial + k) % 3 == 0;
      cone[k] = (hn_cone){.first = CONES + k, .size = 1, .normal = k, .slides = slides};
      cone[k].coefficient = 0.2 + 0.2 * (trial % 5), cone[k].direction[0] = uniform() > 0 ? 1 : -1;
    }
    for (int i = 0; i < MOST * FREE; i++) N[i] = uniform();
    double v[FREE], force = 0;
    for (int j = 0; j < FREE; j++) v[j] = 3 * uniform();
    for (int i = 0; i < MOST; i++) {
      b[i] = x[i] = 0;
      for (int j = 0; j < FREE; j++) b[i] += N[i * FREE + j] * v[j];
      for (int k = 0; k < MOST; k++) {
        A[i * MOST + k] = 0;
        for (int j = 0; j < FREE; j++) A[i * MOST + k] += N[i * FREE + j] * N[k * FREE + j];
      }
    }
    int which;
    bool rounds =
        hn_cones_solve(A, MOST, b, CONES, MOST, cone, CONES, x, y, &which, &size) == HN_CONES_FOUND;
    if (hn_cones_pivot(A, MOST, b, CONES, MOST, cone, CONES, x, y, &size, &room) !=
        HN_CONES_FOUND) {
      none++;
      continue;
    }
    found++, rescued += !rounds;
    for (int i = 0; i < MOST; i++) force = fmax(force, fabs(x[i]));
    for (int i = 0; i < CONES; i++)
      worst = fmax(worst, fmax(-fmin(x[i], 0), fmax(-y[i], fabs(x[i] > 0 ? y[i] : 0))) / size);
    for (int k = 0; k < CONES && force > 0; k++)
      worst = fmax(worst, cone[k].slides ? 0 : cone_offence(&cone[k], x, y, force, size));
  }
  printf("  1000 rough problems: %d solved, %d of them not by rounds, laws to %.1e; %d without\n",
         found, rescued, worst, none);
  CHECK(worst < 1e-9 && rescued > 0 && found > 600);
  // planes are left to rounds, and so is what there is no room for
  hn_cone plane = {.first = 1, .size = 2};
  CHECK(hn_cones_pivot(A, MOST, b, 1, 3, &plane, 1, x, y, &size, &room) == HN_CONES_NONE);
  room.size = 3;
  plane.size = 1;
  CHECK(hn_cones_pivot(A, MOST, b, 1, 2, &plane, 1, x, y, &size, &room) == HN_CONES_NONE);
  free(arena.base);
}

// the normal force of a slip that presses: Painleve
static void paradox(void) {
  const double A[] = {1, 0.8, 0.8, 1}, b[] = {-1, 0};
  double x[2] = {0}, y[2], size;
  int which = -1;
  hn_cone cone = {.first = 1, .size = 1, .coefficient = 0.5, .slides = true, .direction = {1}};
  CHECK(hn_cones_solve(A, 2, b, 1, 2, &cone, 1, x, y, &which, &size) == HN_CONES_FOUND);
  // y_0 = x_0 (1 - 0.5 * 0.8) - 1 = 0
  CHECK_NEAR(x[0], 1 / 0.6, 1e-12);
  CHECK_NEAR(x[1], -0.5 / 0.6, 1e-12);
  cone.coefficient = 1.3;
  CHECK(hn_cones_solve(A, 2, b, 1, 2, &cone, 1, x, y, &which, &size) == HN_CONES_PARADOX);
  CHECK(which == 0);
}

// one friction in three directions: |x| <= r, y = B x + c = 0 inside, y = -s x on the limit, also
// where B does nothing along some direction
static void balls(void) {
  for (int trial = 0; trial < 2000; trial++) {
    int rank = 1 + trial % 3;
    double B[9] = {0}, c[3] = {0}, x[3], y[3], r = test_random(0, 3), size = 0, n = 0, off = 0;
    for (int k = 0; k < rank; k++) {
      double u[3] = {test_random(-1, 1), test_random(-1, 1), test_random(-1, 1)};
      double push = test_random(-2, 2);
      for (int i = 0; i < 3; i++) {
        c[i] += push * u[i];
        for (int j = 0; j < 3; j++) B[3 * i + j] += u[i] * u[j];
      }
    }
    hn_cone_ball(B, c, r, x);
    for (int i = 0; i < 3; i++) {
      y[i] = c[i] + B[3 * i] * x[0] + B[3 * i + 1] * x[1] + B[3 * i + 2] * x[2];
      n += x[i] * x[i], size += c[i] * c[i];
    }
    double s = -(y[0] * x[0] + y[1] * x[1] + y[2] * x[2]) / n;
    n = sqrt(n), size = sqrt(size);
    bool inside = n < r * (1 - 1e-9);
    for (int i = 0; i < 3; i++) off = fmax(off, fabs(y[i] + (inside ? 0 : s * x[i])));
    CHECK(n <= r * (1 + 1e-12) && (inside || s > -1e-9 * size));
    if (!CHECK(off <= 1e-7 * size)) printf("  rank %d, off by %g of %g\n", rank, off, size);
  }
}

int main(void) {
  RUN(random_contacts);
  RUN(no_solution);
  RUN(random_frictions);
  RUN(frictions_at_their_limit);
  RUN(rough_contacts);
  RUN(paradox);
  RUN(balls);
  return test_end();
}
