// units.c: the units a number in a formula may carry.
//
// Of temperatures mechanics needs differences only, by which things grow and oil gets thin: degC
// has no offset here, and is what others call a kelvin (K is too good a name for stiffnesses).
#include "expr/internal.h"

#include <string.h>

#define PI 3.14159265358979323846

// inch, foot, pound and kilopond are exact by definition: 25.4 mm, 304.8 mm,
// 0.45359237 kg * 9.80665 m/s^2, 9.80665 N
// clang-format off
static const hn_unit units[] = {
    {"deg", PI / 180, "angle"},
    {"rad", 1, "angle"},
    {"rev", 2 * PI, "angle"},
    {"mm", 1e-3, "length"},
    {"cm", 1e-2, "length"},
    {"m", 1, "length"},
    {"km", 1e3, "length"},
    {"in", 0.0254, "length"},
    {"ft", 0.3048, "length"},
    {"g", 1e-3, "mass"},
    {"kg", 1, "mass"},
    {"t", 1e3, "mass"},
    {"lb", 0.45359237, "mass"},
    {"ms", 1e-3, "time"},
    {"s", 1, "time"},
    {"min", 60, "time"},
    {"h", 3600, "time"},
    {"N", 1, "force"},
    {"kN", 1e3, "force"},
    {"kgf", 9.80665, "force"},
    {"lbf", 4.4482216152605, "force"},
    {"Nm", 1, "torque"},
    {"Pa", 1, "pressure"},
    {"kPa", 1e3, "pressure"},
    {"MPa", 1e6, "pressure"},
    {"GPa", 1e9, "pressure"},
    {"bar", 1e5, "pressure"},
    {"psi", 4.4482216152605 / (0.0254 * 0.0254), "pressure"},
    {"rpm", 2 * PI / 60, "angular velocity"},
    {"Hz", 1, "frequency"},
    {"degC", 1, "temperature"},
};
// clang-format on

// few enough to be searched in order
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

const hn_unit *hn_unit_at(int index) {
  return index >= 0 && index < UNIT_COUNT ? &units[index] : NULL;
}

const hn_unit *hn_unit_find(const char *name, size_t length) {
  for (int i = 0; i < UNIT_COUNT; i++)
    if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0)
      return &units[i];
  return NULL;
}
