// test_plot.c: SVG charts are read back as text: well-formed, data where the axes say it is.
#include "comma.h"
#include "io/svg.h"
#include "record/result.h"

#include <stdlib.h>
#include <unistd.h>

static char message[HN_MESSAGE];
static const char path[] = "test_plot.svg";
static char svg[4 << 20];  // the chart under test

static hn_result *make(const char *title, int columns, const char *const (*heading)[2]) {
  hn_result *r = hn_result_create(title, columns);
  for (int i = 0; i < columns; i++) hn_result_set_column(r, i, heading[i][0], heading[i][1]);
  return r;
}

// ---- reading an SVG ------------------------------------------------------------------------

// tags balance, attributes are quoted, entities are known, text is UTF-8 without control characters
static const char *malformed(const char *s) {
  char stack[32][32];
  int depth = 0;
  while (*s) {
    if (*s == '<') {
      bool closing = s[1] == '/';
      const char *name = s + 1 + closing;
      int n = (int)strcspn(name, " />\n");
      if (n == 0 || n > 31) return s;
      const char *end = name + n;
      while (*end && *end != '>') {
        if (*end == '<') return end;
        if (*end == '"') {
          end = strpbrk(end + 1, "\"<");
          if (!end || *end == '<') return s;
        }
        end++;
      }
      if (!*end) return s;
      if (closing) {
        if (depth == 0 || strncmp(stack[--depth], name, (size_t)n) != 0 || stack[depth][n])
          return s;
      } else if (end[-1] != '/') {
        if (depth == 32) return s;
        snprintf(stack[depth++], sizeof stack[0], "%.*s", n, name);
      }
      s = end + 1;
    } else if (*s == '&') {
      static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
      int k = 0;
      while (k < 4 && strncmp(s, known[k], strlen(known[k])) != 0) k++;
      if (k == 4) return s;
      s++;
    } else if (*s == '>' || ((unsigned char)*s < ' ' && *s != '\n')) {
      return s;
    } else {
      // lead byte and the right number of others
      unsigned char u = (unsigned char)*s++;
      for (int more = u < 0x80 ? 0 : u < 0xe0 ? 1 : u < 0xf0 ? 2 : 3; more > 0; more--, s++)
        if (((unsigned char)*s & 0xc0) != 0x80) return s;
    }
  }
  return depth == 0 ? NULL : s;
}

static int count(const char *text, const char *word) {
  int n = 0;
  for (const char *s = text; (s = strstr(s, word)); s += strlen(word)) n++;
  return n;
}

// writes the chart and loads it into `svg`
static hn_status draw(const hn_result *r, const hn_plot *plot) {
  remove(path);
  svg[0] = 0;
  hn_status status = hn_plot_write(r, plot, path, message, sizeof message);
  FILE *f = fopen(path, "rb");
  CHECK((f != NULL) == (status == HN_OK));
  if (!f) return status;
  size_t n = fread(svg, 1, sizeof svg - 1, f);
  svg[n] = 0;
  fclose(f);
  const char *wrong = malformed(svg);
  CHECK(wrong == NULL);
  if (wrong) printf("  at: %.60s\n", wrong);
  CHECK_STR(message, "");
  return status;
}

// a number as printed on an axis: with U+2212 for minus, or 10 with a raised exponent
static double printed(const char *s) {
  static const char minus[] = "\xe2\x88\x92";
  double sign = 1;
  if (strncmp(s, minus, 3) == 0) sign = -1, s += 3;
  double value = strtod(s, NULL);
  const char *raised = strstr(s, "<tspan"), *end = strstr(s, "</text>");
  if (raised && raised < end) value = pow(10, printed(strchr(raised, '>') + 1));
  return sign * value;
}

// linear map from pixels to values, from the first and last label of the n-th axis of a kind;
// on a logarithmic axis the values are logarithms
typedef struct scale {
  double pixel[32], value[32];
  int ticks;
} scale;

static const char *nth(const char *word, int n) {
  const char *s = strstr(svg, word);
  while (s && n-- > 0) s = strstr(s + 1, word);
  return s;
}

static scale read_scale(char axis, int n, bool log) {
  scale a = {0};
  char word[32], position[8];
  snprintf(word, sizeof word, "class=\"%c-ticks\"", axis);
  snprintf(position, sizeof position, " %c=\"", axis);
  const char *s = nth(word, n), *end = s ? strstr(s, "</g>") : NULL;
  while (s && (s = strstr(s, "<text")) && s < end && a.ticks < 32) {
    a.pixel[a.ticks] = strtod(strstr(s, position) + 4, NULL);
    s = strchr(s, '>') + 1;
    double value = printed(s);
    a.value[a.ticks++] = log ? log10(value) : value;
  }
  CHECK(a.ticks >= 2);
  return a;
}

static double invert(const scale *a, double pixel) {
  int last = a->ticks - 1;
  double part = (pixel - a->pixel[0]) / (a->pixel[last] - a->pixel[0]);
  return a->value[0] + part * (a->value[last] - a->value[0]);
}

// value of one pixel
static double resolution(const scale *a) {
  return fabs(invert(a, 1) - invert(a, 0));
}

// points of the n-th polyline
static int read_points(int n, double (*point)[2], int most) {
  const char *s = nth("<polyline points=\"", n);
  int k = 0;
  if (!s) return 0;
  s += strlen("<polyline points=\"");
  while (*s != '"' && k < most) {
    char *next;
    point[k][0] = strtod(s, &next);
    point[k++][1] = strtod(next + 1, &next);
    s = *next == ' ' ? next + 1 : next;
  }
  return k;
}

static double pixel_of(const scale *a, double value) {
  int last = a->ticks - 1;
  double part = (value - a->value[0]) / (a->value[last] - a->value[0]);
  return a->pixel[0] + part * (a->pixel[last] - a->pixel[0]);
}

static double distance(const double p[2], const double a[2], const double b[2]) {
  double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
  double part = square > 0 ? ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square : 0;
  part = fmin(fmax(part, 0), 1);
  return hypot(p[0] - a[0] - part * dx, p[1] - a[1] - part * dy);
}

// the n-th polyline begins and ends with the data, passes within the promised distance of all of
// them, and has its corners at some of them; coordinates are rounded to 0.01
static bool follows(int n, double (*data)[2], int rows, const scale *sx, const scale *sy) {
  static double point[5000][2];
  int points = read_points(n, point, 5000), wrong = points < 2 || points > rows;
  for (int i = 0; i < rows && !wrong; i++) {
    double at[2] = {pixel_of(sx, data[i][0]), pixel_of(sy, data[i][1])}, nearest = 1e9;
    for (int k = 1; k < points; k++) nearest = fmin(nearest, distance(at, point[k - 1], point[k]));
    wrong += nearest > HN_CURVE_NEAR + 0.03;
    if (i == 0) wrong += distance(at, point[0], point[0]) > 0.03;
    if (i == rows - 1) wrong += distance(at, point[points - 1], point[points - 1]) > 0.03;
  }
  for (int k = 0, i = 0; k < points && !wrong; k++) {
    double at[2] = {0};
    do {
      at[0] = pixel_of(sx, data[i][0]), at[1] = pixel_of(sy, data[i][1]);
    } while (distance(at, point[k], point[k]) > 0.03 && ++i < rows);
    wrong += i == rows;
  }
  return !wrong;
}

// ---- ticks ---------------------------------------------------------------------------------

static void test_linear_ticks(void) {
  int odd = 0, outside = 0, few = 0, many = 0, same = 0, lost = 0, wide = 0;
  for (int i = 0; i < 20000; i++) {
    double size = pow(10, test_random(-30, 30)), middle = size * test_random(-3, 3);
    if (i % 3 == 0) middle *= pow(10, test_random(0, 9));
    double lo = middle - size, hi = middle + size;
    int wanted = 2 + i % 11;
    hn_axis a;
    hn_axis_fit(&a, lo, hi, false, wanted, 0.04);
    a.start = 0;
    a.length = 1000;
    odd += a.mantissa != 1 && a.mantissa != 2 && a.mantissa != 5;
    few += a.count < 2;
    many += a.count > 1.7 * wanted + 2;
    lost += hn_axis_pixel(&a, lo) < 0 || hn_axis_pixel(&a, hi) > 1000;
    char label[200], before[200] = "";
    for (int k = 0; k < a.count; k++) {
      double p = hn_axis_tick_pixel(&a, k);
      outside += !(p > -0.01 && p < 1000.01);
      hn_axis_label(&a, k, 12, label, sizeof label);
      same += strcmp(label, before) == 0;
      int characters = 0;
      for (char *c = label; *c; c++) characters += ((unsigned char)*c & 0xc0) != 0x80;
      wide += characters > 9;
      strcpy(before, label);
    }
  }
  CHECK(odd == 0);
  CHECK(outside == 0);
  CHECK(few == 0);
  CHECK(many == 0);
  CHECK(same == 0);
  CHECK(wide == 0);
  CHECK(lost == 0);
}

// the same of logarithmic axes, over parts of a decade to hundreds of them
static void test_log_ticks(void) {
  int outside = 0, few = 0, many = 0, same = 0, lost = 0, loose = 0;
  for (int i = 0; i < 20000; i++) {
    double middle = test_random(-140, 140), size = pow(10, test_random(-3, 2.1));
    double lo = pow(10, middle - size), hi = pow(10, middle + size);
    int wanted = 2 + i % 11;
    hn_axis a;
    hn_axis_fit(&a, lo, hi, true, wanted, 0);
    a.start = 0;
    a.length = 1000;
    few += a.count < 2;
    many += a.count > wanted + 1;
    lost += hn_axis_pixel(&a, lo) < -0.01 || hn_axis_pixel(&a, hi) > 1000.01;
    loose += a.hi - a.lo > 2 * size + 2;  // at most a decade is left free at each end
    double before = -1;
    char label[200], previous[200] = "";
    for (int k = 0; k < a.count; k++) {
      double p = hn_axis_tick_pixel(&a, k);
      outside += !(p > -0.01 && p < 1000.01 && p > before);
      before = p;
      hn_axis_label(&a, k, 12, label, sizeof label);
      same += strcmp(label, previous) == 0;
      strcpy(previous, label);
    }
  }
  CHECK(outside == 0);
  CHECK(few == 0);
  CHECK(many == 0);
  CHECK(same == 0);
  CHECK(lost == 0);
  CHECK(loose == 0);
}

static const char *labels_of(double lo, double hi, bool log, int ticks) {
  static char out[800];
  char label[200];
  hn_axis a;
  hn_axis_fit(&a, lo, hi, log, ticks, 0);
  out[0] = 0;
  for (int i = 0; i < a.count; i++) {
    hn_axis_label(&a, i, 10, label, sizeof label);
    strcat(strcat(out, label), " ");
  }
  hn_axis_common(&a, 10, label, sizeof label);
  return strcat(out, label);
}

// what a person would write at the axis
static void test_tick_labels(void) {
#define MINUS "\xe2\x88\x92"
#define TIMES "\xc3\x97"
#define UP(k) "10<tspan dy=\"-3.8\" font-size=\"7.5\">" k "</tspan>"
  CHECK_STR(labels_of(0, 10, false, 5), "0 2 4 6 8 10 ");
  CHECK_STR(labels_of(0, 1, false, 10), "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0 ");
  CHECK_STR(labels_of(-1, 1, false, 4), MINUS "1.0 " MINUS "0.5 0.0 0.5 1.0 ");
  CHECK_STR(labels_of(0, 50000, false, 5), "0 10000 20000 30000 40000 50000 ");
  CHECK_STR(labels_of(0, 2e6, false, 4), "0.0 0.5 1.0 1.5 2.0 " TIMES UP("6"));
  CHECK_STR(labels_of(0, 5e-3, false, 5), "0 1 2 3 4 5 " TIMES UP(MINUS "3"));
  CHECK_STR(labels_of(0, 4e-10, false, 4), "0.0 0.1 0.2 0.3 0.4 " TIMES UP(MINUS "9"));
  CHECK_STR(labels_of(101.2766 - 1e-9, 101.2766 + 1e-9, false, 4),
            MINUS "1.0 " MINUS "0.5 0.0 0.5 1.0 " TIMES UP(
                MINUS "9") "<tspan dx=\"3.5\" dy=\"3.8\">+ 101.2766</tspan>");
  CHECK_STR(labels_of(-5000003, -4999998, false, 5),
            MINUS "3 " MINUS "2 " MINUS "1 0 1 2 " MINUS " 5000000");
  CHECK_STR(labels_of(3e-3, 20, true, 10), UP(MINUS "3") " " UP(MINUS "2") " " UP(MINUS "1") " " UP(
                                               "0") " " UP("1") " " UP("2") " ");
  CHECK_STR(labels_of(1e-9, 1e9, true, 4), UP(MINUS "5") " " UP("0") " " UP("5") " ");
  // less than two decades
  CHECK_STR(labels_of(2, 3, true, 4), "2 5 ");
  CHECK_STR(labels_of(0.03, 0.3, true, 8), "0.02 0.05 0.1 0.2 0.5 ");
  CHECK_STR(labels_of(1, 10, true, 8), "1 2 5 10 ");
  CHECK_STR(labels_of(7, 7, true, 8), "5 10 ");
  CHECK_STR(labels_of(6e-6, 7e-5, true, 8),
            "5" TIMES UP(MINUS "6") " " UP(MINUS "5") " 2" TIMES UP(MINUS "5") " 5" TIMES UP(
                MINUS "5") " " UP(MINUS "4") " ");
  CHECK_STR(labels_of(0.03, 0.3, true, 3), UP(MINUS "2") " " UP(MINUS "1") " " UP("0") " ");
}

// marks between decades stand where logarithms say, inside the axis, and end
static void test_minor_ticks(void) {
  hn_axis a;
  double at, before = -1;
  int n = 0;
  hn_axis_fit(&a, 1e-3, 10, true, 8, 0);
  a.start = 0, a.length = 400;
  for (; n < 1000 && hn_axis_minor_pixel(&a, n, &at); n++) {
    CHECK_NEAR(at, 100 * (log10(1 + n % 9) + n / 9), 1e-9);
    CHECK(at > before);
    before = at;
  }
  CHECK(n == 4 * 9 + 1);
  hn_axis_fit(&a, 3, 30, true, 8, 0);  // from 2 to 50
  a.start = 0, a.length = 100 * log10(25);
  for (n = 0; n < 1000 && hn_axis_minor_pixel(&a, n, &at); n++)
    CHECK_NEAR(at, 100 * log10((n < 8 ? n + 2 : 10 * (n - 7)) / 2.0), 1e-9);
  CHECK(n == 8 + 5);
  hn_axis_fit(&a, 1e-20, 1, true, 5, 0);  // labels at every fourth decade
  a.start = 0, a.length = 200;
  for (n = 0; n < 1000 && hn_axis_minor_pixel(&a, n, &at); n++) CHECK_NEAR(at, 10 * n, 1e-9);
  CHECK(n == 21);
  hn_axis_fit(&a, 0, 1, false, 5, 0);
  CHECK(!hn_axis_minor_pixel(&a, 0, &at));
}

static void test_text(void) {
  hn_text t = {0};
  hn_text_xml(&t, "a<b> & \"c\"\t\x01 \xc3\xa4 \xff \xe2\x82 \xed\xa0\x80");
  CHECK_STR(t.data,
            "a&lt;b&gt; &amp; &quot;c&quot;   \xc3\xa4 \xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd "
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  free(t.data);
  char cut[64];
  hn_text_fit(cut, sizeof cut, "short", 1000, 12);
  CHECK_STR(cut, "short");
  for (double width = 10; width < 500; width += 7) {
    hn_text_fit(cut, sizeof cut, "crank.\xc3\xbc\xc3\xb6\xe6\x9b\xb2.a rather long name.position.x",
                width, 12);
    CHECK(hn_text_width(cut, 12) <= fmax(width, 12));
    CHECK(malformed(cut) == NULL);
  }
}

static void test_units(void) {
  char out[64];
  hn_text_unit(out, sizeof out, "m/s^2");
  CHECK_STR(out, "m/s\xc2\xb2");
  hn_text_unit(out, sizeof out, "kg m^-13 s^a");
  CHECK_STR(out, "kg m\xe2\x81\xbb\xc2\xb9\xc2\xb3 s^a");
  hn_text_unit(out, 8, "m^2 m^2 m^2 m^2");
  CHECK(strlen(out) < 8 && malformed(out) == NULL);
}

// ---- charts --------------------------------------------------------------------------------

static const char *const motion[][2] = {{"time", "s"},    {"crank.angle", "rad"},
                                        {"crank.x", "m"}, {"crank.y", "m"},
                                        {"load", "N"},    {"crank.ratio", ""}};

static hn_result *motion_result(int rows) {
  hn_result *r = make("Slider & crank", 6, motion);
  for (int i = 0; i < rows; i++) {
    double t = 0.01 * i, *row = hn_result_append(r);
    row[0] = t;
    row[1] = 3 * sin(2 * t) + 1;
    row[2] = cos(t);
    row[3] = 0.5 * sin(3 * t);
    row[4] = 2.5e6 * cos(2 * t);
    row[5] = t;
  }
  return r;
}

static void test_mapping(void) {
  hn_result *r = motion_result(1000);
  static double data[1000][2];
  const char *y[] = {"crank.angle"};
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1}) == HN_OK);
  CHECK(count(svg, "<polyline") == 1 && count(svg, "class=\"panel\"") == 1);
  scale sx = read_scale('x', 0, false), sy = read_scale('y', 0, false);
  for (int i = 0; i < 1000; i++)
    data[i][0] = hn_result_row(r, i)[0], data[i][1] = hn_result_row(r, i)[1];
  CHECK(follows(0, data, 1000, &sx, &sy));
  // all ticks of an axis lie on one line, with round distances
  for (int i = 1; i < sy.ticks; i++) {
    CHECK_NEAR(invert(&sy, sy.pixel[i]), sy.value[i], 0.02 * resolution(&sy));
    double step = sy.value[i] - sy.value[i - 1], k = step / pow(10, floor(log10(step) + 1e-9));
    CHECK(fabs(k - 1) < 1e-9 || fabs(k - 2) < 1e-9 || fabs(k - 5) < 1e-9);
  }
  CHECK(strstr(svg, ">time [s]</text>") && strstr(svg, ">crank.angle [rad]</text>"));
  CHECK(strstr(svg, ">Slider &amp; crank</text>") != NULL);
  CHECK(count(svg, "class=\"legend\"") == 0);

  // another x, a size, a title
  CHECK(draw(r, &(hn_plot){.y = (const char *[]){"crank.y"},
                           .y_count = 1,
                           .x = "crank.x",
                           .title = "<Path>",
                           .width = 500,
                           .height = 333}) == HN_OK);
  CHECK(strstr(svg, "width=\"500\" height=\"333\"") && strstr(svg, ">&lt;Path&gt;</text>"));
  sx = read_scale('x', 0, false), sy = read_scale('y', 0, false);
  for (int i = 0; i < 1000; i++)
    data[i][0] = hn_result_row(r, i)[2], data[i][1] = hn_result_row(r, i)[3];
  CHECK(follows(0, data, 1000, &sx, &sy));
  hn_result_destroy(r);
}

// where something happens two rows have one time: the curve still fills the axis from end to end,
// as curves over time do, while one that goes back has room beside it
static void test_twice(void) {
  static const double time[2][4] = {{0, 1, 1, 2}, {0, 1.5, 1, 2}};
  for (int back = 0; back < 2; back++) {
    hn_result *r = make("Twice", 2, motion);
    for (int i = 0; i < 4; i++) {
      double *row = hn_result_append(r);
      row[0] = time[back][i], row[1] = i;
    }
    CHECK(draw(r, &(hn_plot){.y = (const char *[]){"crank.angle"}, .y_count = 1}) == HN_OK);
    double point[8][2], left, right;
    const char *grid = strstr(svg, "class=\"grid\"");
    const char *line = grid ? strstr(grid, "d=\"") : NULL;
    if (CHECK(read_points(0, point, 8) == 4) &&
        CHECK(line && sscanf(line, "d=\"M%lf %*fH%lf", &left, &right) == 2)) {
      double room = 0.02 * (right - left);
      CHECK(back ? point[0][0] > left + room : fabs(point[0][0] - left) < 0.02);
      CHECK(back ? point[3][0] < right - room : fabs(point[3][0] - right) < 0.02);
    }
    hn_result_destroy(r);
  }
}

static void test_panels(void) {
  hn_result *r = motion_result(500);
  static double point[1000][2], data[500][2];
  const char *y[] = {"crank.*", "load", "crank.x", "crank.?"};
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 4}) == HN_OK);
  // rad, m (twice), no unit, N; nothing is drawn twice
  CHECK(count(svg, "class=\"panel\"") == 4);
  CHECK(count(svg, "<polyline") == 5);
  CHECK(count(svg, "class=\"x-ticks\"") == 1 && count(svg, "class=\"y-ticks\"") == 4);
  CHECK(count(svg, ">crank [m]</text>") == 1 && count(svg, ">crank.x</text>") == 1);
  CHECK(count(svg, ">load [N]</text>") == 1 && count(svg, ">crank.ratio</text>") == 1);
  CHECK(strstr(svg, TIMES "10<tspan") != NULL);  // newtons by the million

  // curves in the order of the panels: angle; x, y; ratio; load
  static const int column[] = {1, 2, 3, 5, 4}, panel[] = {0, 1, 1, 2, 3};
  static const double unit[] = {1, 1, 1, 1, 1e6};
  scale sx = read_scale('x', 0, false);
  double lowest = 0;
  for (int k = 0; k < 5; k++) {
    scale sy = read_scale('y', panel[k], false);
    for (int i = 0; i < 500; i++)
      data[i][0] = 0.01 * i, data[i][1] = hn_result_row(r, i)[column[k]] / unit[k];
    CHECK(follows(k, data, 500, &sx, &sy));
    int n = read_points(k, point, 1000);
    // panels follow each other downwards without touching
    double top = 1e9, bottom = 0;
    for (int i = 0; i < n; i++) top = fmin(top, point[i][1]), bottom = fmax(bottom, point[i][1]);
    if (k > 0 && panel[k] != panel[k - 1]) CHECK(top > lowest);
    lowest = fmax(lowest, bottom);
  }
  hn_result_destroy(r);
}

// panels as the caller wants them
static void test_chosen_panels(void) {
  hn_result *r = motion_result(50);
  const char *y[] = {"crank.x", "load", "crank.y", "crank.x"};
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 4, .panel = (const int[]){7, 7, 3, 3}}) == HN_OK);
  // x | load | y, x: units stay apart, and a column may be shown twice
  CHECK(count(svg, "class=\"panel\"") == 3 && count(svg, "<polyline") == 4);
  CHECK(count(svg, "class=\"x-ticks\"") == 1 && count(svg, "class=\"legend\"") == 1);
  CHECK(count(svg, ">crank.x [m]</text>") == 1 && count(svg, ">load [N]</text>") == 1);
  CHECK(count(svg, ">crank [m]</text>") == 1);
  const char *last = nth("class=\"panel\"", 2);
  CHECK(last && count(last, "<polyline") == 2);
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 4, .label = "way & load"}) == HN_OK);
  CHECK(count(svg, ">way &amp; load [m]</text>") == 1);
  CHECK(count(svg, ">way &amp; load [N]</text>") == 1);
  hn_result_destroy(r);
}

// a power law is a straight line between logarithmic axes, and what is not positive is left out
static void test_log_x(void) {
  static const char *const heading[][2] = {{"step", "s"}, {"low.error", "m"}, {"high.error", "m"}};
  hn_result *r = make("", 3, heading);
  static double data[2][200][2];
  memcpy(hn_result_append(r), (double[]){0, 1, 1}, 24);
  memcpy(hn_result_append(r), (double[]){-1, 1, 1}, 24);
  for (int i = 0; i < 200; i++) {
    double h = pow(10, -4 + 0.02 * i);
    memcpy(hn_result_append(r), (double[]){h, 3 * h, 0.1 * h * h + 1e-8 * sqrt(h)}, 24);
    for (int k = 0; k < 2; k++) {
      data[k][i][0] = log10(h);
      data[k][i][1] = log10(hn_result_row(r, i + 2)[k + 1]);
    }
  }
  const char *y[] = {"*.error"};
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1, .log_x = true, .log_y = true}) == HN_OK);
  scale sx = read_scale('x', 0, true), sy = read_scale('y', 0, true);
  CHECK(sx.ticks == 5);
  CHECK_NEAR(sx.value[0], -4, 1e-9);
  CHECK_NEAR(sx.value[4], 0, 1e-9);
  double point[8][2];
  CHECK(count(svg, "<polyline") == 2 && read_points(0, point, 8) == 2);
  CHECK(follows(0, data[0], 200, &sx, &sy) && follows(1, data[1], 200, &sx, &sy));
  CHECK(count(svg, ">error [m]</text>") == 1);

  r->rows = 2;
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1, .log_x = true}) == HN_OK);
  CHECK(strstr(svg, "no positive values") && count(svg, "<polyline") == 0);
  hn_result_destroy(r);
}

static void test_legend(void) {
  // a dozen series: names lie right of the curves, inside the picture, one below the other
  hn_result *r = hn_result_create("dozen", 13);
  char name[64];
  for (int i = 0; i < 13; i++) {
    snprintf(name, sizeof name, i ? "body%d.position" : "time", i);
    hn_result_set_column(r, i, name, i ? "m" : "s");
  }
  for (int k = 0; k < 50; k++) {
    double *row = hn_result_append(r);
    for (int i = 0; i < 13; i++) row[i] = i ? sin(0.1 * k + i) : k;
  }
  static double point[100][2];
  const char *y[] = {"*"};
  for (int height = 0; height <= 250; height += 250) {
    CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1, .height = height}) == HN_OK);
    double right = 0;
    CHECK(count(svg, "<polyline") == 12);
    for (int k = 0; k < 12; k++)
      for (int i = read_points(k, point, 100) - 1; i >= 0; i--) right = fmax(right, point[i][0]);
    const char *s = strstr(svg, "class=\"legend\""), *end = s ? strstr(s, "</g>") : NULL;
    double x[12], at[12];
    int n = 0;
    CHECK(s != NULL);
    while (s && n < 12 && (s = strstr(s, "<text x=\"")) && s < end) {
      x[n] = strtod(s + 9, NULL);
      at[n] = strtod(strstr(s, " y=\"") + 4, NULL);
      snprintf(name, sizeof name, "%.20s", strchr(s, '>') + 1);
      *strchr(name, '<') = 0;
      CHECK(x[n] > right + 20 && x[n] + hn_text_width(name, 12) < 800);
      for (int k = 0; k < n; k++)
        CHECK(fabs(at[k] - at[n]) > 15 || fabs(x[k] - x[n]) > hn_text_width(name, 12));
      n++, s++;
    }
    CHECK(n == 12);
  }
  // every series has a look of its own
  for (int a = 0; a < 12; a++)
    for (int b = 0; b < a; b++) {
      const char *sa = nth("<g class=\"series\"", a), *sb = nth("<g class=\"series\"", b);
      CHECK(strncmp(sa, sb, (size_t)(strchr(sa, '>') - sa)) != 0);
    }
  hn_result_destroy(r);
}

// a curve upon others lets them show through, in the picture and in the legend
static void test_hidden(void) {
  static const char *const heading[][2] = {
      {"time", "s"}, {"a", "m"}, {"b", "m"}, {"c", "m"}, {"d", "m"}};
  hn_result *r = make("", 5, heading);
  for (int i = 0; i < 100; i++) {
    double x = sin(0.1 * i);
    memcpy(hn_result_append(r), (double[]){i, x, x + 1e-4, -x, i < 60 ? x : NAN}, 40);
  }
  const char *y[] = {"?"};
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1}) == HN_OK);
  static const char *const dash[] = {NULL, "\"11 5\"", NULL, "\"7 9\""};
  for (int k = 0; k < 4; k++) {
    const char *s = nth("<g class=\"series\"", k), *found = s ? strstr(s, "dasharray=") : NULL;
    bool dashed = found && found < strchr(s, '>');
    CHECK(dashed == (dash[k] != NULL));
    if (dash[k]) CHECK(count(svg, dash[k]) == 2);
    if (dash[k] && dashed) CHECK(strncmp(found + 10, dash[k], strlen(dash[k])) == 0);
  }
  // not where a panel of its own parts them
  CHECK(draw(r, &(hn_plot){.y = (const char *[]){"a", "b"},
                           .y_count = 2,
                           .panel = (const int[]){0, 1}}) == HN_OK);
  CHECK(count(svg, "dasharray") == 0);
  hn_result_destroy(r);
}

static void test_log(void) {
  static const char *const heading[][2] = {{"time", "s"}, {"violation", ""}};
  hn_result *r = make("", 2, heading);
  for (int i = 0; i <= 900; i++) {
    double *row = hn_result_append(r);
    row[0] = i;
    row[1] = i == 100 ? 0 : i == 200 ? -1 : i == 300 ? NAN : pow(10, -18 + 0.01 * i);
  }
  static double data[1000][2];
  const char *y[] = {"violation"};
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1, .log_y = true}) == HN_OK);
  CHECK(count(svg, "<polyline") == 4);  // three gaps
  scale sx = read_scale('x', 0, false), sy = read_scale('y', 0, true);
  CHECK(sy.ticks == 10);
  CHECK_NEAR(sy.value[0], -18, 1e-9);
  CHECK_NEAR(sy.value[9], -9, 1e-9);
  static const int from[] = {0, 101, 201, 301, 902};
  for (int i = 0; i <= 900; i++) data[i][0] = i, data[i][1] = -18 + 0.01 * i;
  for (int k = 0; k < 4; k++)
    CHECK(follows(k, &data[from[k]], from[k + 1] - 1 - from[k], &sx, &sy));

  r->rows = 0;
  for (int i = 0; i < 5; i++) memcpy(hn_result_append(r), (double[]){i, -i}, 16);
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1, .log_y = true}) == HN_OK);
  CHECK(strstr(svg, "no positive values") && count(svg, "<polyline") == 0);
  hn_result_destroy(r);
}

static void test_offset(void) {
  static const char *const heading[][2] = {{"time", "s"}, {"energy", "J"}};
  hn_result *r = make("", 2, heading);
  for (int i = 0; i <= 100; i++)
    memcpy(hn_result_append(r), (double[]){i, 101.2766 + 1e-9 * sin(0.1 * i)}, 16);
  const char *y[] = {"energy"};
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1}) == HN_OK);
  CHECK(strstr(svg, "+ 101.2766</tspan>") != NULL);
  static double data[101][2];
  scale sx = read_scale('x', 0, false), sy = read_scale('y', 0, false);
  // doubles near 101 are 1.4e-14 apart, a hundred-thousandth of the range
  for (int i = 0; i <= 100; i++) data[i][0] = i, data[i][1] = sin(0.1 * i);
  CHECK(follows(0, data, 101, &sx, &sy));
  hn_result_destroy(r);
}

static void test_degenerate(void) {
  static const char *const heading[][2] = {{"time", "s"}, {"x", "m"}};
  static const double constant[] = {0, 9.81, -3e8, 1e-200, 1e-310, 1e299, 1e301, NAN, INFINITY};
  const char *y[] = {"x"};
  double point[16][2];
  hn_result *r = make("", 2, heading);
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1}) == HN_OK);
  CHECK(strstr(svg, "no values") != NULL);
  for (size_t k = 0; k < sizeof constant / sizeof *constant; k++) {
    r->rows = 0;
    for (int i = 0; i < 3; i++) memcpy(hn_result_append(r), (double[]){i, constant[k]}, 16);
    CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1}) == HN_OK);
    bool shown = fabs(constant[k]) < 1e300;
    int n = read_points(0, point, 16);
    CHECK(n == (shown ? 2 : 0) && (strstr(svg, "no values") != NULL) == !shown);
    // in the middle of the panel
    for (int i = 0; i < n; i++) CHECK_NEAR(point[i][1], 26 + 340 / 2, 1);
    CHECK(!strstr(svg, "nan") && !strstr(svg, "inf"));
  }
  // one row is a dot, and so is a value between two gaps
  r->rows = 1;
  r->data[1] = 2;
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1}) == HN_OK);
  CHECK(count(svg, "<polyline") == 0 && count(svg, "<circle") == 1);
  r->rows = 0;
  static const double gaps[] = {1, 2, NAN, 3, NAN, NAN, 1, 1.7, 2, INFINITY};
  for (int i = 0; i < 10; i++) memcpy(hn_result_append(r), (double[]){i, gaps[i]}, 16);
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1}) == HN_OK);
  CHECK(count(svg, "<polyline") == 2 && count(svg, "<circle") == 1);
  CHECK(read_points(0, point, 16) == 2 && read_points(1, point, 16) == 3);
  hn_result_destroy(r);
}

// a hundred thousand points: few are written, but in every column of pixels the curve reaches as
// far up and down as the data does
static void test_many_points(void) {
  static const char *const heading[][2] = {{"time", "s"}, {"x", "m"}};
  enum { ROWS = 100000 };
  hn_result *r = make("", 2, heading);
  for (int i = 0; i < ROWS; i++) {
    double x = i == 54321 ? 4 : sin(1e-4 * i) + test_random(-0.2, 0.2);
    memcpy(hn_result_append(r), (double[]){1e-3 * i, x}, 16);
  }
  const char *y[] = {"x"};
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1}) == HN_OK);
  static double point[8000][2];
  scale sx = read_scale('x', 0, false), sy = read_scale('y', 0, false);
  int n = read_points(0, point, 8000), wrong = 0, k = 0;
  CHECK(n > 1500 && n < 4 * 800);
  double highest = -9;
  for (int i = 0; i < n; i++) highest = fmax(highest, invert(&sy, point[i][1]));
  CHECK_NEAR(highest, 4, 0.02 * resolution(&sy));

  // column by column; coordinates are rounded to 0.01, so borders are left out
  double tiny = (HN_CURVE_NEAR + 0.02) * resolution(&sy);
  for (int column = (int)point[0][0]; column < (int)point[n - 1][0]; column++) {
    double lo = 9, hi = -9, written_lo = 9, written_hi = -9;
    int from = (int)ceil(invert(&sx, column + 0.01) / 1e-3);
    int to = (int)floor(invert(&sx, column + 0.99) / 1e-3);
    for (int i = from < 0 ? 0 : from; i <= to && i < ROWS; i++)
      lo = fmin(lo, hn_result_row(r, i)[1]), hi = fmax(hi, hn_result_row(r, i)[1]);
    while (point[k + 1][0] < column) k++;
    // what of each segment lies in the column
    for (int i = k; i + 1 < n && point[i][0] < column + 1; i++) {
      double a = fmax(column, point[i][0]), b = fmin(column + 1, point[i + 1][0]);
      double way = point[i + 1][0] - point[i][0], rise = point[i + 1][1] - point[i][1];
      for (int end = 0; end < 2; end++) {
        double part = way > 0 ? ((end ? b : a) - point[i][0]) / way : end;
        double value = invert(&sy, point[i][1] + part * rise);
        written_lo = fmin(written_lo, value), written_hi = fmax(written_hi, value);
      }
    }
    wrong += written_lo > lo + tiny || written_hi < hi - tiny;
  }
  CHECK(wrong == 0);
  // nothing is invented: each point is one of the data, in their order
  for (int i = 0, row = 0; i < n; i++) {
    double x = invert(&sx, point[i][0]), value = invert(&sy, point[i][1]);
    while (row < ROWS && (fabs(hn_result_row(r, row)[0] - x) > 0.02 * resolution(&sx) ||
                          fabs(hn_result_row(r, row)[1] - value) > tiny))
      row++;
    wrong += row == ROWS;
  }
  CHECK(wrong == 0);

  // a closed path of as many points keeps its shape
  for (int i = 0; i < ROWS; i++) {
    r->data[2 * i] = cos(7e-4 * i);
    r->data[2 * i + 1] = sin(7e-4 * i);
  }
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1}) == HN_OK);
  static double path_point[40000][2];
  n = read_points(0, path_point, 40000);
  sx = read_scale('x', 0, false), sy = read_scale('y', 0, false);
  CHECK(n > 500 && n < 3000);
  // corners lie on it, and the middles of the chords close to it
  double pixel = fmax(resolution(&sx), resolution(&sy));
  for (int i = 1; i < n; i++) {
    double a[2] = {invert(&sx, path_point[i][0]), invert(&sy, path_point[i][1])};
    double b[2] = {invert(&sx, path_point[i - 1][0]), invert(&sy, path_point[i - 1][1])};
    wrong += fabs(hypot(a[0], a[1]) - 1) > 0.03 * pixel;
    wrong += fabs(hypot(a[0] + b[0], a[1] + b[1]) / 2 - 1) > (HN_CURVE_NEAR + 0.03) * pixel;
  }
  CHECK(wrong == 0);
  hn_result_destroy(r);
}

static void test_escapes(void) {
  static const char *const heading[][2] = {{"time", "s"},
                                           {"a<b & \"c\"", "m"},
                                           {"\xff\x01 bad", "m"},
                                           {"\xce\xa6\xe1\xb5\x80\xce\xa6", "<"}};
  hn_result *r = make("x < y & \"z\" ]]>", 4, heading);
  for (int i = 0; i < 3; i++) memcpy(hn_result_append(r), (double[]){i, i, 2 * i, 3 * i}, 32);
  const char *y[] = {"*"};
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1}) == HN_OK);
  CHECK(strstr(svg, ">a&lt;b &amp; &quot;c&quot;</text>") != NULL);
  CHECK(strstr(svg, "x &lt; y &amp; &quot;z&quot; ]]&gt;") != NULL);
  CHECK(strstr(svg, "[&lt;]") != NULL);
  hn_result_destroy(r);
}

static void test_refusals(void) {
  static const struct {
    const char *x, *y, *message;
    int width, height;
  } wrong[] = {
      {NULL, "crank.angel", "no column 'crank.angel' (did you mean 'crank.angle'?)", 0, 0},
      {NULL, "angle", "no column 'angle' (did you mean 'crank.angle'?)", 0, 0},
      {"tme", "load", "no column 'tme' (did you mean 'time'?)", 0, 0},
      {NULL, "gearbox.torque", "no column 'gearbox.torque' among the 6 of the result", 0, 0},
      {NULL, "crnk.*", "no column matches 'crnk.*'", 0, 0},
      {NULL, "", "no column '' among the 6 of the result", 0, 0},
  };
  hn_result *r = motion_result(10);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *y[] = {"load", wrong[i].y};
    CHECK(draw(r, &(hn_plot){.x = wrong[i].x, .y = y, .y_count = 2}) == HN_ERR_ARGUMENT);
    CHECK_STR(message, wrong[i].message);
  }
  const char *y[] = {"load"};
  CHECK(draw(r, &(hn_plot){0}) == HN_ERR_ARGUMENT);
  CHECK_STR(message, "no columns to plot; name one at least");
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1, .width = 120, .height = 40}) == HN_ERR_ARGUMENT);
  int width = 0, height = 0;
  CHECK(strstr(message, "120 x 40 px is too small for 1 panel") != NULL);
  CHECK(strstr(message, "at least") &&
        sscanf(strstr(message, "at least"), "at least %d x %d", &width, &height) == 2);
  CHECK(draw(r, &(hn_plot){.y = y, .y_count = 1, .width = width, .height = height}) == HN_OK);

  hn_plot plot = {.y = y, .y_count = 1};
  CHECK(hn_plot_write(r, &plot, "chart.png", message, sizeof message) == HN_ERR_ARGUMENT);
  CHECK_STR(message, "chart.png: plots are written as SVG; the path must end in .svg");
  CHECK(hn_plot_write(r, &plot, "nowhere/x.svg", message, sizeof message) == HN_ERR_FILE);
  CHECK_STR(message, "nowhere/x.svg: cannot be written: No such file or directory");
  CHECK(hn_plot_write(NULL, &plot, path, message, sizeof message) == HN_ERR_ARGUMENT);
  CHECK(hn_plot_write(r, &plot, "chart.png", NULL, 0) == HN_ERR_ARGUMENT);
  hn_result_destroy(r);

  r = hn_result_create("crowd", 30);
  char name[16];
  for (int i = 0; i < 30; i++) {
    snprintf(name, sizeof name, "x%d", i);
    hn_result_set_column(r, i, name, "m");
  }
  CHECK(draw(r, &(hn_plot){.y = (const char *[]){"*"}, .y_count = 1}) == HN_ERR_ARGUMENT);
  CHECK_STR(message, "more than 21 columns in one panel: no reader could tell them apart");
  hn_result_destroy(r);
}

static void test_locale(void) {
  // coordinates have a point even where people write a comma; skipped without such a locale
  if (!test_comma()) return;
  hn_result *r = motion_result(10);
  hn_status status = draw(r, &(hn_plot){.y = (const char *[]){"load"}, .y_count = 1});
  setlocale(LC_NUMERIC, "C");
  CHECK(status == HN_OK);
  double point[16][2];
  CHECK(read_points(0, point, 16) == 10);
  hn_result_destroy(r);
}

int main(void) {
  RUN(test_linear_ticks);
  RUN(test_log_ticks);
  RUN(test_tick_labels);
  RUN(test_minor_ticks);
  RUN(test_text);
  RUN(test_units);
  RUN(test_mapping);
  RUN(test_twice);
  RUN(test_panels);
  RUN(test_chosen_panels);
  RUN(test_legend);
  RUN(test_hidden);
  RUN(test_log);
  RUN(test_log_x);
  RUN(test_offset);
  RUN(test_degenerate);
  RUN(test_many_points);
  RUN(test_escapes);
  RUN(test_refusals);
  RUN(test_locale);
  remove(path);
  return test_end();
}
