// units.c: the units a number in a formula may carry.
//
// Of temperatures mechanics needs differences only, by which things grow and oil gets thin: degC
// has no offset here, and is what others call a kelvin (K is too good a name for stiffnesses).
//
// V, A, J and W are good names, too: areas, volumes, inertias and widths of older files were called
// so. Units that came late give way to names of the file.
#include "expr/internal.h"

#include <string.h>

#define PI 3.14159265358979323846

// inch, foot, pound and kilopond are exact by definition: 25.4 mm, 304.8 mm,
// 0.45359237 kg * 9.80665 m/s^2, 9.80665 N
// clang-format off
static const hn_unit units[] = {
    // name, in SI, dimension, gives way
    {"deg", PI / 180, "angle", false},
    {"rad", 1, "angle", false},
    {"rev", 2 * PI, "angle", false},
    {"mm", 1e-3, "length", false},
    {"cm", 1e-2, "length", false},
    {"m", 1, "length", false},
    {"km", 1e3, "length", false},
    {"in", 0.0254, "length", false},
    {"ft", 0.3048, "length", false},
    {"g", 1e-3, "mass", false},
    {"kg", 1, "mass", false},
    {"t", 1e3, "mass", false},
    {"lb", 0.45359237, "mass", false},
    {"ms", 1e-3, "time", false},
    {"s", 1, "time", false},
    {"min", 60, "time", false},
    {"h", 3600, "time", false},
    {"N", 1, "force", false},
    {"kN", 1e3, "force", false},
    {"kgf", 9.80665, "force", false},
    {"lbf", 4.4482216152605, "force", false},
    {"Nm", 1, "torque", false},
    {"Pa", 1, "pressure", false},
    {"kPa", 1e3, "pressure", false},
    {"MPa", 1e6, "pressure", false},
    {"GPa", 1e9, "pressure", false},
    {"bar", 1e5, "pressure", false},
    {"psi", 4.4482216152605 / (0.0254 * 0.0254), "pressure", false},
    {"rpm", 2 * PI / 60, "angular velocity", false},
    {"Hz", 1, "frequency", false},
    {"degC", 1, "temperature", false},
    {"mrad", 1e-3, "angle", true},
    {"um", 1e-6, "length", true},
    {"l", 1e-3, "volume", true},
    {"ml", 1e-6, "volume", true},
    {"mg", 1e-6, "mass", true},
    {"us", 1e-6, "time", true},
    {"mN", 1e-3, "force", true},
    {"MN", 1e6, "force", true},
    {"mNm", 1e-3, "torque", true},
    {"kNm", 1e3, "torque", true},
    {"kHz", 1e3, "frequency", true},
    {"mJ", 1e-3, "energy", true},
    {"J", 1, "energy", true},
    {"kJ", 1e3, "energy", true},
    {"MJ", 1e6, "energy", true},
    {"Wh", 3600, "energy", true},
    {"kWh", 3.6e6, "energy", true},
    {"mW", 1e-3, "power", true},
    {"W", 1, "power", true},
    {"kW", 1e3, "power", true},
    {"MW", 1e6, "power", true},
    {"mA", 1e-3, "current", true},
    {"A", 1, "current", true},
    {"mAh", 3.6, "charge", true},
    {"Ah", 3600, "charge", true},
    {"mV", 1e-3, "voltage", true},
    {"V", 1, "voltage", true},
    {"kV", 1e3, "voltage", true},
    {"mohm", 1e-3, "resistance", true},
    {"ohm", 1, "resistance", true},
    {"kohm", 1e3, "resistance", true},
    {"uH", 1e-6, "inductance", true},
    {"mH", 1e-3, "inductance", true},
    {"H", 1, "inductance", true},
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
