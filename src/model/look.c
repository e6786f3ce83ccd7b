// look.c: materials and colours by their names.
#include <ctype.h>
#include <string.h>

#include "base/base.h"
#include "model/shape.h"

// handbook values at 20 degC, rounded; what is sold under such names differs by a few percent, wood
// by more
static const struct {
  const char *name;
  double density;
  const char *what;
} materials[] = {
    {"steel", 7850, "structural and carbon steel"},
    {"stainless-steel", 7900, "austenitic, such as 1.4301"},
    {"cast-iron", 7200, "grey cast iron"},
    {"aluminium", 2700, "and most of its alloys"},
    {"magnesium", 1740, ""},
    {"titanium", 4500, "pure; Ti-6Al-4V has 4430"},
    {"brass", 8500, ""},
    {"bronze", 8800, "tin bronze"},
    {"copper", 8960, ""},
    {"zinc", 7140, ""},
    {"lead", 11340, ""},
    {"tungsten", 19300, ""},
    {"concrete", 2400, ""},
    {"glass", 2500, "soda-lime"},
    {"wood", 600, "spruce 450, oak 700"},
    {"plywood", 650, ""},
    {"plastic", 1200, "polycarbonate; many others lie between 900 and 1400"},
    {"abs", 1050, ""},
    {"nylon", 1140, "polyamide 6"},
    {"pom", 1410, "acetal"},
    {"pla", 1240, "printed solid"},
    {"polyethylene", 950, "high density"},
    {"rubber", 1100, "natural, filled"},
    {"carbon-fibre", 1600, "in epoxy, 60 % fibres"},
    {"glass-fibre", 1900, "in epoxy, 55 % fibres"},
    {"water", 998, ""},
    {"ice", 917, "at 0 degC"},
};
enum { MATERIALS = sizeof materials / sizeof *materials };

// The same names as in the table, as one constant, which tables of fields need.
const char hn_material_words[] =
    "steel stainless-steel cast-iron aluminium magnesium titanium brass bronze copper zinc lead "
    "tungsten concrete glass wood plywood plastic abs nylon pom pla polyethylene rubber "
    "carbon-fibre glass-fibre water ice";

const char *hn_material_at(int index, double *density, const char **what) {
  if (index < 0 || index >= MATERIALS) return NULL;
  if (density) *density = materials[index].density;
  if (what) *what = materials[index].what;
  return materials[index].name;
}

double hn_material_density(const char *name) {
  for (int i = 0; i < MATERIALS; i++)
    if (strcmp(materials[i].name, name) == 0) return materials[i].density;
  return 0;
}

// ---- colours -------------------------------------------------------------------------------

static const struct {
  const char *name;
  unsigned rgb;
} colors[] = {
    {"black", 0x202428},  {"white", 0xf4f6f8},  {"grey", 0x8a949e},    {"gray", 0x8a949e},
    {"silver", 0xc4ccd4}, {"red", 0xc8372d},    {"orange", 0xe3822b},  {"yellow", 0xe8c62e},
    {"green", 0x3f9b5b},  {"blue", 0x2f74c0},   {"navy", 0x24407a},    {"teal", 0x1f8f8f},
    {"cyan", 0x3bb3d0},   {"purple", 0x7a55b0}, {"magenta", 0xc0489a}, {"pink", 0xe39ab5},
    {"brown", 0x8a5a3a},  {"gold", 0xd2a53a},   {"olive", 0x86883a},
};

const char hn_color_words[] =
    "black white grey gray silver red orange yellow green blue navy teal cyan purple magenta pink "
    "brown gold olive";

static int hex(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "#rrggbb" or "#rgb"
// #rgb doubles each digit, as in CSS.
static bool hex_color(const char *text, int rgb[3]) {
  size_t n = strlen(text);
  if (n != 3 && n != 6) return false;
  int digits = n == 6 ? 2 : 1;
  for (int i = 0; i < 3; i++) {
    int high = hex((char)tolower((unsigned char)text[digits * i]));
    int low = hex((char)tolower((unsigned char)text[digits * i + digits - 1]));
    if (high < 0 || low < 0) return false;
    rgb[i] = 16 * high + low;
  }
  return true;
}

// Words are softer than their namesakes of CSS, so that shaded bodies look well.
bool hn_color(const char *color, int rgb[3]) {
  if (!color) return false;
  if (*color == '#') return hex_color(color + 1, rgb);
  for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
    if (strcmp(colors[i].name, color) == 0) {
      for (int k = 0; k < 3; k++) rgb[k] = (int)(colors[i].rgb >> (16 - 8 * k) & 255);
      return true;
    }
  return false;
}
