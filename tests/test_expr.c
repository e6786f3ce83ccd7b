// test_expr.c: formulas: grammar, units, messages, simplification, derivatives, programs.
//
// Values and derivatives are compared with closed forms written with the C library.
#include "test.h"

#include "expr/expr.h"
#include <float.h>
#include <stdlib.h>

enum { T, X, Y, INPUTS };

// t, x, y are inputs; mass and e.mod are parameters; h is a unit too; bad is not a number
static hn_node resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  static const struct {
    const char *name;
    int input;
    double value;
  } names[] = {{"t", T, 0},     {"x", X, 0},        {"y", Y, 0},
               {"mass", -1, 2}, {"e.mod_2", -1, 3}, {"bad", -1, NAN},
               {"h", -1, 7},    {"body.1.x", X, 0}, {"wrong", -2, 0}};
  (void)user;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strlen(names[i].name) != length || memcmp(names[i].name, name, length) != 0) continue;
    if (names[i].input == -2) return 1 << 30;  // a resolver that answers nonsense
    return names[i].input >= 0 ? hn_graph_input(graph, names[i].input)
                               : hn_graph_constant(graph, names[i].value);
  }
  return -1;
}

static hn_node parse(hn_graph *g, const char *text) {
  hn_expr_error error;
  hn_node n = hn_graph_parse(g, text, strlen(text), resolve, NULL, &error);
  if (n < 0) printf("%s: column %d: %s\n", text, error.column, error.message);
  return n;
}

// value of one node
static double run_node(const hn_graph *g, hn_node n, const double in[INPUTS]) {
  hn_program *p = hn_program_compile(g, &n, 1);
  double out = NAN, *scratch = p ? malloc((size_t)hn_program_registers(p) * sizeof *scratch) : NULL;
  if (scratch) hn_program_run(p, in, scratch, &out);
  free(scratch);
  hn_program_destroy(p);
  return out;
}

static double value(const char *text, double t, double x, double y) {
  hn_graph *g = hn_graph_create();
  hn_node n = parse(g, text);
  double v = n < 0 ? NAN : run_node(g, n, (double[]){t, x, y});
  hn_graph_destroy(g);
  return v;
}

// value of the derivatives with respect to the inputs named in `by`, one after the other
static double slope(const char *text, const char *by, double t, double x, double y) {
  hn_graph *g = hn_graph_create();
  hn_node n = parse(g, text);
  for (; *by; by++) n = hn_graph_derivative(g, n, *by == 't' ? T : *by == 'x' ? X : Y);
  double v = n < 0 ? NAN : run_node(g, n, (double[]){t, x, y});
  hn_graph_destroy(g);
  return v;
}

static void test_values(void) {
  const double t = 0.7, x = 1.3, y = -0.4;
  const struct {
    const char *text;
    double expected;
  } cases[] = {
      {"1", 1},
      {"  1.5e3 ", 1500},
      {".5", 0.5},
      {"5.", 5},
      {"1E-2", 0.01},
      {"1e+2", 100},
      {"0.1", 0.1},
      {"123456789.123456789", 123456789.123456789},
      {"1.7976931348623157e308", DBL_MAX},
      {"1e-400", 0},
      {"0.00000000000000000000000000000001e32", 1},
      {"t", t},
      {"mass*x", 2 * x},
      {"e.mod_2", 3},
      {"body.1.x", x},
      {"pi", acos(-1)},
      {"e", exp(1)},
      {"x+y", x + y},
      {"x-y-t", x - y - t},
      {"x/y/t", x / y / t},
      {"x/y*t", x / y * t},
      {"x-(y-t)", x - (y - t)},
      {"1+2*3", 7},
      {"(1+2)*3", 9},
      {"2^3^2", 512},
      {"(2^3)^2", 64},
      {"2**3**2", 512},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-3", 0.125},
      {"2^-x", pow(2, -x)},
      {"-x^2", -(x * x)},
      {"2*-3", -6},
      {"2--3", 5},
      {"2-+3", -1},
      {"- - x", x},
      {"-x*y", -x * y},
      {"x^3", x * x * x},
      {"x^4", x * x * x * x},
      {"x^0.5", sqrt(x)},
      {"x^-1", 1 / x},
      {"x^2.5", pow(x, 2.5)},
      {"pow(x, y)", pow(x, y)},
      {"x<y", 0},
      {"y<x", 1},
      {"x>y", 1},
      {"x>=1.3", 1},
      {"x<=1.3", 1},
      {"x==1.3", 1},
      {"x!=1.3", 0},
      {"1+1<3", 1},
      {"1<2 && 2<3", 1},
      {"1<2&&3<2", 0},
      {"0 || 0 && 1", 0},
      {"1 || 0 && 0", 1},
      {"(1<2) == 1", 1},
      {"!0", 1},
      {"!x", 0},
      {"!0 + 1", 2},
      {"-3 < -2", 1},
      {"5 && 0.5", 1},
      {"sin(t)", sin(t)},
      {"cos(t)", cos(t)},
      {"tan(t)", tan(t)},
      {"asin(y)", asin(y)},
      {"acos(y)", acos(y)},
      {"atan(x)", atan(x)},
      {"atan2(y, x)", atan2(y, x)},
      {"atan2(y,-x)", atan2(y, -x)},
      {"sinh(x)", sinh(x)},
      {"cosh(x)", cosh(x)},
      {"tanh(x)", tanh(x)},
      {"exp(y)", exp(y)},
      {"log(x)", log(x)},
      {"log10(x)", log10(x)},
      {"sqrt(x)", sqrt(x)},
      {"abs(y)", 0.4},
      {"sign(y)", -1},
      {"sign(x)", 1},
      {"sign(x-x)", 0},
      {"min(x,y)", y},
      {"max(x,y)", x},
      {"hypot(x,y)", hypot(x, y)},
      {"floor(y)", -1},
      {"ceil(y)", 0},
      {"mod(7,3)", 1},
      {"mod(-7,3)", 2},
      {"mod(7,-3)", -2},
      {"mod(-7,-3)", -1},
      {"mod(6,3)", 0},
      {"mod(x, 0.4)", x - 3 * 0.4},
      {"step(x)", 1},
      {"step(y)", 0},
      {"step(0)", 1},
      {"if(x>0, 10, 20)", 10},
      {"if(y>0, 10, 20)", 20},
      {"if(x, t, y)", t},
      {"sin ( t )", sin(t)},
      {"\tx\n+\r\ny", x + y},
      {"((((x))))", x},
      {"0.5*sin(2*3.14159*t)^2 + x*exp(-t)",
       0.5 * sin(2 * 3.14159 * t) * sin(2 * 3.14159 * t) + x * exp(-t)},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (!CHECK_REL(value(cases[i].text, t, x, y), cases[i].expected, 1, 4e-16))
      printf("  in %s\n", cases[i].text);
}

static void test_clamp(void) {
  const char *f = "clamp(x, -1, y)";
  CHECK(value(f, 0, -3, 2) == -1);
  CHECK(value(f, 0, 0.5, 2) == 0.5);
  CHECK(value(f, 0, 7, 2) == 2);
  CHECK(slope(f, "x", 0, 0.5, 2) == 1 && slope(f, "y", 0, 0.5, 2) == 0);
  CHECK(slope(f, "x", 0, 7, 2) == 0 && slope(f, "y", 0, 7, 2) == 1);
  CHECK(value("clamp(5, 1, 1)", 0, 0, 0) == 1);
}

static void test_smoothstep(void) {
  const char *f = "smoothstep(x, 1, 10, 3, 20)";
  CHECK(value(f, 0, -5, 0) == 10);
  CHECK(value(f, 0, 1, 0) == 10);
  CHECK(value(f, 0, 3, 0) == 20);
  CHECK(value(f, 0, 99, 0) == 20);
  CHECK_NEAR(value(f, 0, 2, 0), 15, 1e-14);
  // u = 1/4: 10 (10/64 - 15/256 + 6/1024) = 1.03515625
  CHECK_NEAR(value(f, 0, 1.5, 0), 11.03515625, 1e-13);
  // y' = 30 u^2 (1-u)^2 (y1-y0)/(x1-x0), y'' = 60 u (1-u) (1-2u) (y1-y0)/(x1-x0)^2
  CHECK_NEAR(slope(f, "x", 0, 1.5, 0), 30. / 16 * 9 / 16 * 5, 1e-13);
  CHECK_NEAR(slope(f, "xx", 0, 1.5, 0), 60. / 4 * 3 / 4 / 2 * 10 / 4, 1e-12);
  CHECK(slope(f, "x", 0, 0.5, 0) == 0 && slope(f, "x", 0, 3.5, 0) == 0);
  // twice differentiable at the ends
  CHECK_NEAR(slope(f, "xx", 0, 1 + 1e-9, 0), 0, 1e-6);
  CHECK_NEAR(slope(f, "xx", 0, 3 - 1e-9, 0), 0, 1e-6);
  // the ends may be given in falling order
  CHECK_NEAR(value("smoothstep(x, 3, 20, 1, 10)", 0, 1.5, 0), 11.03515625, 1e-13);
  CHECK(value("smoothstep(x, 3, 20, 1, 10)", 0, 9, 0) == 20);
  CHECK(value("smoothstep(2, 1, 10, 3, 20)", 0, 0, 0) == 15);
  CHECK_NEAR(slope("smoothstep(x, 1, t, 3, y)", "t", 0.3, 1.5, 2), 1 - 0.103515625, 1e-14);
}

static void test_units(void) {
  const double pi = acos(-1);
  const struct {
    const char *text;
    double expected;
  } cases[] = {
      {"60 deg", pi / 3},
      {"60deg", pi / 3},
      {"-90 deg", -pi / 2},
      {"2 rad", 2},
      {"1.5 rev", 3 * pi},
      {"9 mm", 0.009},
      {"5cm", 0.05},
      {"3 m", 3},
      {"3 km", 3000},
      {"10 in", 0.254},
      {"2 ft", 0.6096},
      {"7 g", 0.007},
      {"2 kg", 2},
      {"30 ms", 0.03},
      {"2 s", 2},
      {"2 min", 120},
      {"4 N", 4},
      {"4 kN", 4000},
      {"10 kgf", 98.0665},
      {"1 lbf", 0.45359237 * 9.80665},
      {"3 Nm", 3},
      {"3 Pa", 3},
      {"3 kPa", 3e3},
      {"3 MPa", 3e6},
      {"210 GPa", 210e9},
      {"30 rpm", pi},
      {"50 Hz", 50},
      {"9.81 m/s^2", 9.81},
      {"35900 N/m", 35900},
      {"15 N*m*s/rad", 15},
      {"15 N*m/(rad/s)", 15},
      {"36 km / min", 600},
      {"36 km/min^2", 10},
      {"3 mm^2", 3e-6},
      {"3 mm ** 2", 3e-6},
      {"2 cm^-1", 200},
      {"5 mm*cm", 5e-5},
      {"-5 km/min", -5000. / 60},
      {"2*5 km/min", 10000. / 60},
      {"(5 km)/min", 5000. / 60},
      {"5 km/(2 min)", 5000. / 120},
      {"1 m + 5 mm", 1.005},
      {"7.85 g/cm^3", 7850},
      {"2 kg/s^2*cm", 0.02},
      {"sin(30 deg)", 0.5},
      {"1.5 bar", 1.5e5},
      {"1 psi*in^2", 4.4482216152605},  // a pound of force on a square inch
      {"2 lb", 0.90718474},
      {"5 mm*x", 5e-3 * 1.3},
      // the caller's names win after * and /, not right after a number
      {"14*h", 98},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (!CHECK_REL(value(cases[i].text, 0, 1.3, 0), cases[i].expected, 0, 5e-16))
      printf("  in %s\n", cases[i].text);
  CHECK(value("9 mm", 0, 0, 0) == 0.009 && value("1001 g", 0, 0, 0) == 1.001);

  // tonne, where t is no variable
  double v = 0;
  CHECK(hn_parse_number("2.5 t", 5, NULL, NULL, &v, NULL) && v == 2500);
  CHECK(hn_parse_number("36 km/h", 7, NULL, NULL, &v, NULL) && fabs(v - 10) < 1e-15);

  // the table: every unit works as a suffix and means its factor
  int count = 0;
  for (; hn_unit_at(count); count++) {
    const hn_unit *u = hn_unit_at(count);
    char text[32];
    snprintf(text, sizeof text, "1 %s", u->name);
    CHECK(hn_parse_number(text, strlen(text), NULL, NULL, &v, NULL));
    CHECK_REL(v, u->factor, 0, 2e-16);
    CHECK(strlen(u->dimension) > 3);
  }
  CHECK(count == 65);
  CHECK(!hn_unit_at(-1) && !hn_unit_at(1000));
}

// numbers of the file are those the C library reads, to the bit, by the short way and the long one
static void test_decimals(void) {
  int wrong = 0;
  for (int i = 0; i < 50000; i++) {
    char text[64];
    double v = 0, whole = floor(test_random(0, pow(10, 1 + i % 17)));
    int exponent = (int)test_random(-30, 30);
    if (i % 3 == 0)
      snprintf(text, sizeof text, "%.*f", i % 19, test_random(0, 1000));
    else if (i % 3 == 1)
      snprintf(text, sizeof text, "%.0fe%d", whole, exponent);
    else
      snprintf(text, sizeof text, "0.%.0fe%d", whole, exponent);
    wrong += !hn_parse_number(text, strlen(text), NULL, NULL, &v, NULL) || v != strtod(text, NULL);
  }
  CHECK(wrong == 0);
}

static void test_parse_number(void) {
  double v = 0;
  hn_expr_error error;
  CHECK(hn_parse_number("2*pi", 4, NULL, NULL, &v, &error) && fabs(v - 2 * acos(-1)) < 1e-15);
  CHECK(hn_parse_number("mass*3", 6, resolve, NULL, &v, &error) && v == 6);
  CHECK(hn_parse_number("12345", 2, NULL, NULL, &v, &error) && v == 12);  // length counts
  v = 99;
  CHECK(!hn_parse_number("3*t", 3, resolve, NULL, &v, &error));
  CHECK_STR(error.message, "must be a constant");
  CHECK(error.column == 1 && v == 99);
  CHECK(!hn_parse_number("3*t", 3, NULL, NULL, &v, &error));
  CHECK(error.column == 3);
  CHECK(!hn_parse_number("3*", 2, NULL, NULL, &v, NULL));
  CHECK(!hn_parse_number(NULL, 0, NULL, NULL, &v, &error));
  CHECK_STR(error.message, "empty expression");
}

static void check_error(const char *text, size_t length, int column, const char *message) {
  hn_graph *g = hn_graph_create();
  hn_expr_error error = {0};
  CHECK(hn_graph_parse(g, text, length, resolve, NULL, &error) == -1);
  if (!CHECK(error.column == column)) printf("  %s: got column %d\n", text, error.column);
  CHECK_STR(error.message, message);
  CHECK(hn_graph_parse(g, text, length, resolve, NULL, NULL) == -1);
  hn_graph_destroy(g);
}

static void test_errors(void) {
  static const struct {
    const char *text;
    int column;
    const char *message;
  } cases[] = {
      {"", 1, "empty expression"},
      {" \t ", 1, "empty expression"},
      {"foo", 1, "unknown name 'foo'"},
      {"1 + foo.bar", 5, "unknown name 'foo.bar'"},
      {"wrong", 1, "unknown name 'wrong'"},
      {"2*PI", 3, "unknown name 'PI'; did you mean 'pi'?"},
      {"x*mm", 3, "unknown name 'mm'; a unit must follow a number, as in 1 mm"},
      {"5 km + s", 8, "unknown name 's'; a unit must follow a number, as in 1 s"},
      {"5 km/2/s", 8, "unknown name 's'; a unit must follow a number, as in 1 s"},
      {"sin + 1", 1, "'sin' is a function and needs (...)"},
      {"sen(x)", 1, "unknown function 'sen'; did you mean 'sin'?"},
      {"2*smothstep(x)", 3, "unknown function 'smothstep'; did you mean 'smoothstep'?"},
      {"f(x)", 1, "unknown function 'f'"},
      {"quadrature(x)", 1, "unknown function 'quadrature'"},
      {"3 degg", 3, "unknown unit 'degg'; did you mean 'deg'?"},
      {"3 furlong", 3, "unknown unit 'furlong'"},
      {"0x1F", 2, "unknown unit 'x1F'"},
      {"2 x", 3, "missing operator before 'x', which is no unit"},
      {"2 sin(x)", 3, "missing operator before 'sin'"},
      {"2e", 2, "missing operator before 'e'"},
      {"2 min(3, 4)", 3, "missing operator before 'min'"},
      {"2 t", 3, "'t' is a unit and also a variable here; write '*' for the product"},
      {"14 h", 4, "'h' is a unit and also a parameter here; write '*' for the product"},
      {"14 m/h", 6,
       "'h' after a unit is a unit and also a parameter here; write the product the other way "
       "round, or rename it"},
      {"2 m^x", 5, "the power of a unit must be a constant"},
      {"x y", 3, "missing operator before 'y'"},
      {"x 2", 3, "missing operator before '2'"},
      {"x(2)", 1, "unknown function 'x'"},
      {"(x)(y)", 4, "missing operator before '('"},
      {"(1+2", 5, "missing ')' to close the '(' at column 1"},
      {"3*sin(x", 8, "missing ')' to close the '(' at column 6"},
      {"max(x, (y+1)", 13, "missing ')' to close the '(' at column 4"},
      {"1+2)", 4, "unexpected character ')'"},
      {"(1,2)", 3, "unexpected character ',' (a number has a decimal point)"},
      {"(1+2]", 5, "unexpected character ']'"},
      {"x # y", 3, "unexpected character '#'"},
      {"$", 1, "unexpected character '$'"},
      {"x & y", 3, "unexpected character '&'"},
      {"x = y", 3, "unexpected '=', write '==' to compare"},
      {"x.", 2, "unexpected character '.'"},
      {"1.2.3", 4, "unexpected character '.'"},
      {"3\xc2\xb0", 2, "only ASCII text is allowed: write 'deg'"},
      {"\xce\xb1+1", 1, "unexpected byte 0xCE, only ASCII text is allowed"},
      {"1 +", 4, "a value is missing at the end"},
      {"sin(", 5, "a value is missing at the end"},
      {"1 + * 2", 5, "a value is missing before '*'"},
      {"()", 2, "a value is missing before ')'"},
      {"max(x,)", 7, "a value is missing before ')'"},
      {"max(,x)", 5, "a value is missing before ','"},
      {"2^", 3, "a value is missing at the end"},
      {"atan2(y)", 1, "atan2 takes 2 arguments, got 1"},
      {"1+sin(x, y)", 3, "sin takes 1 argument, got 2"},
      {"sin()", 1, "sin takes 1 argument, got 0"},
      {"if(x, 1)", 1, "if takes 3 arguments, got 2"},
      {"smoothstep(x,1,2,3,4,5,6)", 1, "smoothstep takes 5 arguments, got 7"},
      {"clamp(x,2)", 1, "clamp takes 3 arguments, got 2"},
      {"clamp(x,2,1)", 1, "clamp(x, low, high) needs low <= high, got 2 and 1"},
      {"saturate(x,1,2)", 1, "unknown function 'saturate'; did you mean 'clamp'?"},
      {"smoothstep(x,1,2,1,4)", 1, "smoothstep needs x0 and x1 to differ"},
      {"1e400", 1, "number out of range"},
      {"1 + 1e99999999999999", 5, "number out of range"},
      {"1/0", 2, "value is not finite"},
      {"x + 0/0", 6, "value is not finite"},
      {"2*log(0)", 3, "value is not finite"},
      {"sqrt(-1)*x", 1, "value is not finite"},
      {"1e200*1e200", 6, "value is not finite"},
      {"10^400", 3, "value is not finite"},
      {"1e308 km", 1, "value is not finite"},
      {"0*bad", 3, "value is not finite"},
      {"0^-1", 2, "value is not finite"},
      {"1 < x < 2", 7, "comparisons cannot be chained, join them with '&&'"},
      {"x == y == t", 8, "comparisons cannot be chained, join them with '&&'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_error(cases[i].text, strlen(cases[i].text), cases[i].column, cases[i].message);
  check_error("1\0+2", 4, 2, "unexpected byte 0x00, only ASCII text is allowed");
  check_error("\0", 1, 1, "unexpected byte 0x00, only ASCII text is allowed");
}

static void test_limits(void) {
  static char text[20001];
  // 199 parentheses and the value inside are 200 levels
  memset(text, '(', 199), text[199] = 'x', memset(text + 200, ')', 199), text[399] = 0;
  CHECK(value(text, 0, 5, 0) == 5);
  const char *deep = "nested too deeply, more than 200 levels";
  memset(text, '(', 10000);
  check_error(text, 10000, 201, deep);
  memset(text, '-', 10000);
  check_error(text, 10000, 201, deep);
  for (int i = 0; i < 5000; i++) memcpy(text + 2 * i, "x^", 2);
  check_error(text, 10000, 401, deep);
  for (int i = 0; i < 2500; i++) memcpy(text + 4 * i, "sin(", 4);
  check_error(text, 10000, 801, deep);

  // long but flat is fine: x+x+...+x, and its derivative
  for (int i = 0; i < 5000; i++) memcpy(text + 2 * i, "x+", 2);
  text[9999] = 0;
  CHECK(value(text, 0, 0.5, 0) == 2500);
  for (int i = 0; i < 5000; i++) memcpy(text + 2 * i, "x*", 2);
  text[9999] = 0;
  CHECK(slope(text, "x", 0, 1, 0) == 5000);
  CHECK(slope(text, "xx", 0, 1, 0) == 5000. * 4999);
  text[9999] = '*', text[10000] = 'x', text[10001] = 0;
  check_error(text, 10001, 10001, "expression longer than 10000 characters");
  memset(text, '1', 201);
  check_error(text, 201, 1, "number has too many digits");

  // long names are shortened in messages
  memset(text, 'a', 300);
  check_error(text, 300, 1, "unknown name 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'");
}

// texts that must become one and the same node
static void test_sharing(void) {
  static const char *const pairs[][2] = {
      {"x+y", "y + x"},
      {"x*y", "y*x"},
      {"sin(x*y)^2", "sin(y*x)*sin(x*y)"},
      {"x+0", "x"},
      {"0+x", "x"},
      {"x-0", "x"},
      {"0-x", "-x"},
      {"x*1", "x"},
      {"x*0", "0"},
      {"0*sin(x)", "0"},
      {"x-x", "0"},
      {"sin(x)-sin(x)", "0"},
      {"(x-y)-(x-y)", "0"},
      {"x/1", "x"},
      {"0/x", "0"},
      {"x^0", "1"},
      {"x^1", "x"},
      {"x^2", "x*x"},
      {"x**2", "x^2"},
      {"pow(x,y)", "x^y"},
      {"x^0.5", "sqrt(x)"},
      {"--x", "x"},
      {"-(x-y)", "y-x"},
      {"x+-y", "x-y"},
      {"x--y", "x+y"},
      {"-x+y", "y-x"},
      {"x*-1", "-x"},
      {"-x*-y", "x*y"},
      {"-x/y", "-(x/y)"},
      {"x/-y", "-(x/y)"},
      {"x+x", "2*x"},
      {"3*x-2*x", "x"},
      {"2*x+3*x", "5*x"},
      {"x-2*x", "-x"},
      {"2*(3*x)", "6*x"},
      {"2*x*3*y", "6*(x*y)"},
      {"1+(2+x)", "3+x"},
      {"1+x-1", "x"},
      {"-1+(1-x)", "-x"},
      {"x/4", "0.25*x"},
      {"6*x/3", "2*x"},
      {"2*(3/x)", "6/x"},
      {"-(3/x)", "-3/x"},
      {"x>y", "y<x"},
      {"x>=y", "y<=x"},
      {"x==y", "y==x"},
      {"min(x,y)", "min(y,x)"},
      {"hypot(x,y)", "hypot(y,x)"},
      {"if(1,x,y)", "x"},
      {"if(0,x,y)", "y"},
      {"if(t,x,x)", "x"},
      {"2+3", "5"},
      {"sin(0)", "0"},
      {"mass", "2"},
      {"60 deg", "60 * (1 deg)"},
  };
  hn_graph *g = hn_graph_create();
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    hn_node a = parse(g, pairs[i][0]), b = parse(g, pairs[i][1]);
    if (!CHECK(a >= 0 && a == b)) printf("  %s and %s\n", pairs[i][0], pairs[i][1]);
  }
  CHECK(parse(g, "x-y") != parse(g, "y-x"));
  CHECK(parse(g, "x/y") != parse(g, "y/x"));
  CHECK(parse(g, "x<y") != parse(g, "y<x"));
  CHECK(parse(g, "x/x") != parse(g, "1"));  // 0/0 is not hidden
  CHECK(hn_graph_constant(g, 0.0) != hn_graph_constant(g, -0.0));
  // merging constants of a sum must not lose digits
  CHECK(run_node(g, parse(g, "(x-1e9)+1e-9"), (double[]){0, 1e9, 0}) == 1e-9);
  // nor overflow those of a product
  CHECK_REL(run_node(g, parse(g, "1e200*(1e200*x)"), (double[]){0, 1e-300, 0}), 1e100, 0, 1e-15);
  CHECK_REL(run_node(g, parse(g, "1e-200*(1e-200*x)"), (double[]){0, 1e300, 0}), 1e-100, 0, 1e-15);
  CHECK_REL(run_node(g, parse(g, "1e-300*x/1e300"), (double[]){0, 1e300, 0}), 1e-300, 0, 1e-15);
  CHECK_REL(run_node(g, parse(g, "(1e200*x)*(1e200*y)"), (double[]){0, 1e-200, 1e-200}), 1.0, 0,
            1e-15);
  hn_graph_destroy(g);
}

static void test_graph(void) {
  hn_graph *g = hn_graph_create();
  hn_node x = hn_graph_input(g, X), far = hn_graph_input(g, 100), two = hn_graph_constant(g, 2);
  hn_node n = hn_graph_mul(g, hn_graph_add(g, x, two), hn_graph_sub(g, far, x));
  double v = 0;
  CHECK(hn_graph_is_constant(g, two, &v) && v == 2);
  CHECK(!hn_graph_is_constant(g, x, &v) && !hn_graph_is_constant(g, -1, &v));
  CHECK(hn_graph_depends(g, n, X) && !hn_graph_depends(g, n, Y) && !hn_graph_depends(g, two, X));
  CHECK(hn_graph_depends(g, n, 100) && !hn_graph_depends(g, n, 101) && !hn_graph_depends(g, n, 62));
  CHECK(!hn_graph_depends(g, n, -1) && !hn_graph_depends(g, -1, X));
  hn_node d = hn_graph_derivative(g, n, 100), none = hn_graph_derivative(g, n, 101);
  CHECK(d == hn_graph_add(g, x, two));
  CHECK(hn_graph_is_constant(g, none, &v) && v == 0);
  CHECK(hn_graph_derivative(g, n, 100) == d);
  hn_node q = hn_graph_div(g, hn_graph_constant(g, 1), hn_graph_constant(g, 0));
  CHECK(q >= 0 && !hn_graph_is_constant(g, q, &v));
  CHECK(isinf(run_node(g, q, (double[]){0, 0, 0})));

  // failure is passed on
  CHECK(hn_graph_add(g, x, -1) == -1 && hn_graph_sub(g, -1, x) == -1);
  CHECK(hn_graph_mul(g, x, 9999) == -1 && hn_graph_div(g, -1, x) == -1);
  CHECK(hn_graph_derivative(g, -1, X) == -1 && hn_graph_derivative(g, x, -1) == -1);
  CHECK(hn_graph_input(g, -1) == -1);
  CHECK(!hn_program_compile(g, (hn_node[]){x, -1}, 2));
  hn_graph_destroy(g);
  hn_graph_destroy(NULL);
  hn_program_destroy(NULL);
}

static int same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

// a constant formula gives bit for bit what running it with variables gives
static void test_folding(void) {
  static const char *const formulas[] = {
      "sin(%s)",      "cos(%s)",     "tan(%s)",     "atan(%s)",   "sinh(%s)",   "cosh(%s)",
      "tanh(%s)",     "exp(%s)",     "log(%s)",     "log10(%s)",  "sqrt(%s)",   "abs(%s)",
      "floor(%s)",    "ceil(%s)",    "sign(%s)",    "step(%s)",   "-(%s)",      "!(%s)",
      "(%s)^3",       "(%s)^4",      "(%s)^2",      "(%s)^1.7",   "1.7^(%s)",   "(%s)^-1",
      "mod(%s, 0.3)", "mod(7, %s)",  "(%s)/3",      "(%s)*3",     "(%s)/0.1",   "0.1/(%s)",
      "(%s)-0.1",     "hypot(%s,3)", "atan2(%s,3)", "min(%s, 2)", "max(%s, 2)", "if(%s>2,1,2)",
      "asin((%s)/9)", "acos((%s)/9)"};
  for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
    for (int k = 0; k < 20; k++) {
      char number[40], folded[100], variable[100];
      double x = test_random(0.1, 8);
      snprintf(number, sizeof number, "%.17g", x);
      snprintf(folded, sizeof folded, formulas[i], number);
      snprintf(variable, sizeof variable, formulas[i], "x");
      hn_graph *g = hn_graph_create();
      double v;
      CHECK(hn_graph_is_constant(g, parse(g, folded), &v));
      if (!CHECK(same_bits(v, value(variable, 0, x, 0)))) printf("  %s\n", folded);
      hn_graph_destroy(g);
    }
}

static void test_selection(void) {
  // NaN and inf of the branch not taken stay out, of value and derivatives
  const char *f = "if(x > 0, sqrt(x)*log(x), 3*x)";
  CHECK(value(f, 0, -2, 0) == -6);
  CHECK(slope(f, "x", 0, -2, 0) == 3);
  CHECK(slope(f, "xx", 0, -2, 0) == 0);
  CHECK(value("if(x != 0, sin(x)/x, 1)", 0, 0, 0) == 1);
  CHECK(slope("if(x != 0, sin(x)/x, 1)", "x", 0, 0, 0) == 0);
  // a NaN that is used is not swallowed
  CHECK(isnan(value("min(sqrt(x), y*y)", 0, -1, 2)) && isnan(value("min(y*y, sqrt(x))", 0, -1, 2)));
  CHECK(isnan(value("max(sqrt(x), y*y)", 0, -1, 2)) && isnan(value("max(y*y, sqrt(x))", 0, -1, 2)));
  CHECK(isnan(value("sign(sqrt(x))", 0, -1, 0)) && isnan(value("step(sqrt(x))", 0, -1, 0)));
}

// what the header promises where there is no derivative
static void test_singular_points(void) {
  CHECK(slope("abs(x)", "x", 0, 0, 0) == 0);
  CHECK(slope("abs(x)", "x", 0, -2, 0) == -1);
  CHECK(slope("abs(x)", "xx", 0, -2, 0) == 0);
  CHECK(slope("sign(x)", "x", 0, 0, 0) == 0);
  CHECK(slope("step(x)", "x", 0, 0, 0) == 0);
  CHECK(slope("floor(x)+ceil(x)", "x", 0, 1, 0) == 0);
  CHECK(slope("(x<y)+(x<=y)+(x==y)+(x!=y)+(x&&y)+(x||y)+!x", "x", 0, 1, 2) == 0);
  CHECK(slope("hypot(x,y)", "x", 0, 0, 0) == 0);
  CHECK(slope("hypot(x,y)", "xy", 0, 0, 0) == 0);
  CHECK_NEAR(slope("hypot(x,y)", "x", 0, 3, 4), 0.6, 1e-15);
  CHECK(isinf(slope("sqrt(x)", "x", 0, 0, 0)));
  CHECK(isnan(slope("sqrt(x*x)", "x", 0, 0, 0)));
  CHECK(slope("x^1.5", "x", 0, 0, 0) == 0);
  CHECK(isinf(slope("x^1.5", "xx", 0, 0, 0)));
  CHECK(slope("x^3", "xx", 0, 0, 0) == 0);
  CHECK(slope("x^3", "xxx", 0, 0, 0) == 6);
  CHECK(slope("x^3", "xxxx", 0, 5, 0) == 0);
  CHECK(slope("x^y", "x", 0, 0, 2) == 0);
  CHECK(slope("x^y", "y", 0, 0, 2) == 0);
  CHECK(slope("x^y", "x", 0, -3, 2) == -6);
  CHECK(isnan(slope("atan2(y,x)", "x", 0, 0, 0)));
  CHECK(slope("mod(x, y)", "x", 0, 7.5, 2) == 1);
  CHECK(slope("mod(x, y)", "y", 0, 7.5, 2) == -3);
  CHECK(slope("mod(x, y)", "y", 0, -7.5, 2) == 4);
  CHECK(slope("min(x, 3*y)", "y", 0, 5, 1) == 3);
  CHECK(slope("max(x, 3*y)", "y", 0, 5, 1) == 0);
}

// closed forms of the first derivative at x
static void test_known_derivatives(void) {
  const double x = 0.37;
  const struct {
    const char *text;
    double expected;
  } cases[] = {
      {"sin(x)", cos(x)},
      {"cos(x)", -sin(x)},
      {"tan(x)", 1 / (cos(x) * cos(x))},
      {"asin(x)", 1 / sqrt(1 - x * x)},
      {"acos(x)", -1 / sqrt(1 - x * x)},
      {"atan(x)", 1 / (1 + x * x)},
      {"sinh(x)", cosh(x)},
      {"cosh(x)", sinh(x)},
      {"tanh(x)", 1 / (cosh(x) * cosh(x))},
      {"exp(x)", exp(x)},
      {"exp(-3*x)", -3 * exp(-3 * x)},
      {"log(x)", 1 / x},
      {"log10(x)", 1 / (x * log(10))},
      {"sqrt(x)", 0.5 / sqrt(x)},
      {"x^2", 2 * x},
      {"x^3", 3 * x * x},
      {"x^4", 4 * x * x * x},
      {"x^5", 5 * pow(x, 4)},
      {"x^-2", -2 * pow(x, -3)},
      {"1/x", -1 / (x * x)},
      {"x^x", pow(x, x) * (log(x) + 1)},
      {"2^x", pow(2, x) * log(2)},
      {"atan2(x, 2)", 2 / (4 + x * x)},
      {"atan2(2, x)", -2 / (4 + x * x)},
      {"(x+1)/(x-1)", -2 / ((x - 1) * (x - 1))},
      {"x*sin(x)", sin(x) + x * cos(x)},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (!CHECK_REL(slope(cases[i].text, "x", 0, x, 0), cases[i].expected, 0, 2e-15))
      printf("  in %s\n", cases[i].text);
  CHECK_REL(slope("sin(x*y)", "xy", 0, 0.5, 2), cos(1) - sin(1), 0, 1e-14);
  CHECK_REL(slope("exp(2*x)", "xxxxx", 0, 0.5, 2), 32 * exp(1), 0, 1e-14);
}

static void test_programs(void) {
  enum { N = 200 };
  hn_graph *g = hn_graph_create();
  hn_node outputs[N + 3];
  // sin(k x) + k t, some twice, plus bare leaves
  for (int k = 0; k < N; k++) {
    char text[64];
    snprintf(text, sizeof text, "sin(%d*x) + %d*t", k % 150 + 1, k % 150 + 1);
    outputs[k] = parse(g, text);
  }
  outputs[N] = hn_graph_input(g, Y);
  outputs[N + 1] = hn_graph_constant(g, 42);
  outputs[N + 2] = outputs[0];
  hn_program *p = hn_program_compile(g, outputs, N + 3);
  CHECK(p != NULL);
  double in[INPUTS] = {0.3, 0.01, 7}, out[N + 3], *r = malloc((size_t)hn_program_registers(p) * 8);
  for (int repeat = 0; repeat < 2; repeat++) {
    memset(out, 0, sizeof out);
    hn_program_run(p, in, r, out);
    for (int k = 0; k < N; k++)
      CHECK_NEAR(out[k], sin((k % 150 + 1) * 0.01) + (k % 150 + 1) * 0.3, 1e-13);
    CHECK(out[N] == 7 && out[N + 1] == 42 && out[N + 2] == out[0]);
  }
  free(r);
  hn_program_destroy(p);

  // registers are used again: a long chain of t needs few, whatever else is in the graph
  hn_node chain = hn_graph_input(g, T);
  for (int k = 0; k < 1000; k++)
    chain = hn_graph_add(g, hn_graph_mul(g, chain, chain), hn_graph_constant(g, 0.1));
  p = hn_program_compile(g, &chain, 1);
  CHECK(hn_program_registers(p) <= 4);
  hn_program_destroy(p);
  double expected = 0.2;
  for (int k = 0; k < 1000; k++) expected = expected * expected + 0.1;
  CHECK(run_node(g, chain, (double[]){0.2, 0, 0}) == expected);

  // nothing to do is fine too
  p = hn_program_compile(g, NULL, 0);
  CHECK(p && hn_program_registers(p) == 1);
  hn_program_run(p, NULL, (double[1]){0}, NULL);
  hn_program_destroy(p);
  hn_graph_destroy(g);
}

// the same calls give the same nodes, sizes and bits
static void test_determinism(void) {
  const char *text = "smoothstep(x, 0, sin(t), 1, exp(y))*hypot(x, t)^1.5 + mod(t, 0.3)";
  hn_node nodes[2];
  double values[2];
  int registers[2];
  for (int k = 0; k < 2; k++) {
    hn_graph *g = hn_graph_create();
    hn_node n = parse(g, text);
    nodes[k] = hn_graph_derivative(g, hn_graph_derivative(g, n, X), T);
    hn_program *p = hn_program_compile(g, &nodes[k], 1);
    registers[k] = hn_program_registers(p);
    hn_program_destroy(p);
    values[k] = run_node(g, nodes[k], (double[]){0.4, 0.6, -0.2});
    hn_graph_destroy(g);
  }
  CHECK(nodes[0] == nodes[1] && registers[0] == registers[1] && same_bits(values[0], values[1]));
}

int main(void) {
  RUN(test_values);
  RUN(test_smoothstep);
  RUN(test_clamp);
  RUN(test_units);
  RUN(test_decimals);
  RUN(test_parse_number);
  RUN(test_errors);
  RUN(test_limits);
  RUN(test_sharing);
  RUN(test_graph);
  RUN(test_folding);
  RUN(test_selection);
  RUN(test_singular_points);
  RUN(test_known_derivatives);
  RUN(test_programs);
  RUN(test_determinism);
  return test_end();
}
