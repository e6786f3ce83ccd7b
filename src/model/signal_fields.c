// signal_fields.c: the keys of signals, states, controllers, events, starts and columns.
//
// Rows as in fields.c. A signal has exactly one of formula, input, table and file; a state has a
// rate, or a type (process.c); a controller is sampled, or a machine of modes. Which keys exclude
// each other is checked where they are added (signal.c, controller.c).
#include "model/fields.h"

#define SIGNAL(k, f, ...)                                                                          \
  { .key = k, .offset = offsetof(hn_signal_def, f), __VA_ARGS__ }
#define CONTROLLER(k, f, ...)                                                                      \
  { .key = k, .offset = offsetof(hn_controller_def, f), __VA_ARGS__ }
#define PROCESS(k, f, ...)                                                                         \
  { .key = k, .offset = offsetof(hn_process_def, f), __VA_ARGS__ }
#define START(k, f, ...)                                                                           \
  { .key = k, .offset = offsetof(hn_start_def, f), __VA_ARGS__ }
#define COLUMN(k, f, ...)                                                                          \
  { .key = k, .offset = offsetof(hn_column_def, f), __VA_ARGS__ }
#define EVENT(k, f, ...)                                                                           \
  { .key = k, .offset = offsetof(hn_event_def, f), __VA_ARGS__ }

// Signals may have any unit, so that their numbers are not checked against one.
const hn_field hn_signal_fields[] = {
    SIGNAL("formula", formula, .kind = HN_FIELD_FORMULA, .unit = "",
           .help = "of t, parameters, other signals and measured quantities"),
    SIGNAL("input", input, .kind = HN_FIELD_NUMBER, .unit = "",
           .extra = offsetof(hn_signal_def, input_given),
           .help = "the signal is set from outside while the model runs; its value until then"),
    SIGNAL("table", table, .kind = HN_FIELD_PAIRS, .extra = offsetof(hn_signal_def, table_count),
           .unit = "",
           .help = "points [t, value] over time; outside the ends hold (cubic: go on straight)"),
    SIGNAL("file", file, .kind = HN_FIELD_WORD, .unit = "",
           .help = "CSV file with such points, counted from where the model file is"),
    SIGNAL("time", time, .kind = HN_FIELD_WORD, .unit = "",
           .help = "column of the times, by name or number; the first when not given"),
    SIGNAL("column", column, .kind = HN_FIELD_WORD, .unit = "",
           .help = "column of the values, by name or number; the second when not given"),
    SIGNAL("interpolation", interpolation, .kind = HN_FIELD_CHOICE, .unit = "",
           .words = "linear hold cubic",
           .help = "between points: straight lines (default), the last value, or a cubic spline"),
    SIGNAL("unit", unit, .kind = HN_FIELD_WORD, .unit = "", .help = "unit of the column"),
    HN_FIELD_DESCRIPTION,
    {0},
};

// Both use hn_signal_def: a state is a signal whose rate is given.
const hn_field hn_state_fields[] = {
    SIGNAL("rate", rate, .kind = HN_FIELD_FORMULA, .unit = "",
           .help =
               "rate of the state: of t, itself, other states and signals, measured quantities"),
    SIGNAL("start", start, .kind = HN_FIELD_NUMBER, .unit = "",
           .help = "value at the start; 0 when not given"),
    SIGNAL("steady", steady, .kind = HN_FIELD_FLAG, .unit = "",
           .help = "the state starts where its rate is zero"),
    SIGNAL("size", size, .kind = HN_FIELD_NUMBER, .unit = "", .range = HN_RANGE_POSITIVE,
           .help = "typical size, by which errors are judged; its largest value so far when not "
                   "given, and at least 1e-6"),
    SIGNAL("unit", unit, .kind = HN_FIELD_WORD, .unit = "", .help = "unit of the column"),
    HN_FIELD_DESCRIPTION,
    {0},
};

// `memory` and `transitions` are maps that io/model_signals.c reads itself.
const hn_field hn_controller_fields[] = {
    CONTROLLER("period", period, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "s",
               .help = "from sample to sample"),
    CONTROLLER("offset", offset, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
               .unit = "s", .help = "time of the first sample"),
    CONTROLLER("delay", delay, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE, .unit = "s",
               .help = "from a sample to its effect"),
    CONTROLLER("formula", formula, .kind = HN_FIELD_FORMULA, .unit = "",
               .help = "of the output, at every sample"),
    CONTROLLER("inputs", inputs, .kind = HN_FIELD_WORDS,
               .extra = offsetof(hn_controller_def, input_count), .unit = "",
               .help = "formulas whose values a function of the caller is given, in place of a "
                       "formula"),
    CONTROLLER("quantum", quantum, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
               .help = "the output is a multiple of it"),
    CONTROLLER("noise", noise, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
               .help = "standard deviation of normal noise on the output"),
    CONTROLLER("seed", seed, .kind = HN_FIELD_NUMBER, .unit = "", .help = "of the noise"),
    CONTROLLER("start", start, .kind = HN_FIELD_NUMBER, .unit = "",
               .help = "output before the first sample acts; 0 when not given"),
    CONTROLLER("modes", modes, .kind = HN_FIELD_WORDS,
               .extra = offsetof(hn_controller_def, mode_count), .unit = "",
               .help = "of a machine; the signal is the number of the mode, from 0"),
    CONTROLLER("begin", begin, .kind = HN_FIELD_WORD, .unit = "",
               .help = "mode at the start; the first when not given"),
    CONTROLLER("library", library, .kind = HN_FIELD_WORD, .unit = "",
               .help = "shared library with the function, counted from where the model file is; "
                       "the file must be trusted"),
    CONTROLLER("function", function, .kind = HN_FIELD_WORD, .unit = "",
               .help = "its name in the library; 'control' when not given"),
    CONTROLLER("unit", unit, .kind = HN_FIELD_WORD, .unit = "", .help = "unit of the column"),
    HN_FIELD_DESCRIPTION,
    {0},
};

// Which of them a type has stands in the table of process.c.
const hn_field hn_process_fields[] = {
    PROCESS("input", input, .kind = HN_FIELD_FORMULA, .unit = "",
            .help = "of t, parameters, signals and measured quantities"),
    PROCESS("gain", gain, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_ZERO, .unit = "",
            .help = "factor; 1 when not given"),
    PROCESS("time", time, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "s",
            .help = "time constant"),
    PROCESS("numerator", numerator, .kind = HN_FIELD_LIST,
            .extra = offsetof(hn_process_def, numerator_count), .unit = "",
            .help = "coefficients, highest power of s first"),
    PROCESS("denominator", denominator, .kind = HN_FIELD_LIST,
            .extra = offsetof(hn_process_def, denominator_count), .unit = "",
            .help = "coefficients, highest power of s first"),
    PROCESS("A", A, .kind = HN_FIELD_MATRIX, .extra = offsetof(hn_process_def, A_count), .unit = "",
            .help = "matrix of the states, row by row"),
    PROCESS("B", B, .kind = HN_FIELD_LIST, .extra = offsetof(hn_process_def, B_count), .unit = "",
            .help = "how the input acts on the states"),
    PROCESS("C", C, .kind = HN_FIELD_LIST, .extra = offsetof(hn_process_def, C_count), .unit = "",
            .help = "output from the states"),
    PROCESS("D", D, .kind = HN_FIELD_NUMBER, .unit = "", .help = "output from the input"),
    PROCESS("initial", initial, .kind = HN_FIELD_LIST,
            .extra = offsetof(hn_process_def, initial_count), .unit = "",
            .help = "states at the start; 0 when not given"),
    PROCESS("kp", kp, .kind = HN_FIELD_NUMBER, .unit = "", .help = "proportional gain"),
    PROCESS("ki", ki, .kind = HN_FIELD_NUMBER, .unit = "1/s", .help = "integral gain"),
    PROCESS("kd", kd, .kind = HN_FIELD_NUMBER, .unit = "s", .help = "gain of the derivative"),
    PROCESS("filter", filter, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "s",
            .help = "time constant of the derivative"),
    PROCESS("low", low, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_process_def, low_given),
            .unit = "", .help = "lower limit, or value"),
    PROCESS("high", high, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_process_def, high_given),
            .unit = "", .help = "upper limit, or value"),
    PROCESS("tracking", tracking, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "s",
            .help = "time in which the integral takes back what limits cut off; kp/ki when not "
                    "given"),
    PROCESS("width", width, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
            .help = "of the play, or of the hysteresis, from end to end"),
    PROCESS("rising", rising, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "1/s",
            .help = "largest rate upwards"),
    PROCESS("falling", falling, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "1/s",
            .help = "largest rate downwards; as upwards when not given"),
    PROCESS("start", start, .kind = HN_FIELD_NUMBER, .unit = "",
            .help = "value at the start; of a relay: above 0 it starts high"),
    PROCESS("steady", steady, .kind = HN_FIELD_FLAG, .unit = "",
            .help = "states start where their rates are zero"),
    PROCESS("size", size, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
            .help = "typical size of the states, by which errors are judged"),
    PROCESS("unit", unit, .kind = HN_FIELD_WORD, .unit = "", .help = "unit of the column"),
    HN_FIELD_DESCRIPTION,
    {0},
};

const hn_field hn_event_fields[] = {
    EVENT("when", when, .kind = HN_FIELD_FORMULA, .unit = "",
          .help = "condition whose becoming true is the event"),
    EVENT("stop", stop, .kind = HN_FIELD_FLAG, .unit = "", .help = "it ends the run"),
    {0},
};

const hn_field hn_start_fields[] = {
    START("value", value, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_start_def, value_given),
          .unit = "m or rad", .help = "at the start"),
    START("rate", rate, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_start_def, rate_given),
          .unit = "m/s or rad/s", .help = "of the quantity, at the start"),
    {0},
};

const hn_field hn_column_fields[] = {
    COLUMN("formula", formula, .kind = HN_FIELD_FORMULA, .unit = "",
           .help = "of columns, t and parameters"),
    COLUMN("unit", unit, .kind = HN_FIELD_WORD, .unit = "", .help = "unit of the column"),
    COLUMN("integral", integral, .kind = HN_FIELD_FORMULA, .unit = "",
           .help = "in place of the formula: what the column is the integral of, over time"),
    {0},
};
