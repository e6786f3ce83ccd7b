// adams_text.c: the text of an ADAMS dataset as statements with arguments.
//
// The first line is the title. A statement is NAME/id, ARGUMENT, ARGUMENT=value, value ...; lines
// that begin with a comma go on with it, ! begins a comment. Names may be cut short as long as they
// are one of those known.
//
// The result is a tree of one level in the form of xml.h, so that names, places and what nobody
// looked at are handled as those of XML files are. Letters are made capitals, as the solver does
// it.
#include "base/elementary.h"
#include "robots/adams.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct statement_kind {
  const char *name, *arguments;  // NULL: nobody looks at them
} statement_kind;

// All arguments that a statement may have, in full: abbreviations are told apart among these.
static const statement_kind kinds[] = {
    {"UNITS", "FORCE MASS LENGTH TIME SYSTEM UCF"},
    {"ACCGRAV", "IGRAV JGRAV KGRAV"},
    {"PART", "GROUND MASS CM IM IP QG REULER EXACT MATERIAL VX VY VZ WX WY WZ VM WM XG ZG"},
    {"MARKER", "PART QP REULER FLOATING XP ZP USEXP POINT_MASS FLEX_BODY FE_PART NODE_ID RM CURVE "
               "VX VY VZ"},
    {"JOINT", "REVOLUTE TRANSLATIONAL CYLINDRICAL SPHERICAL FIXED UNIVERSAL HOOKE PLANAR SCREW "
              "RACKPIN CONVEL I J PITCH PD IC ICTRAN ICROT"},
    {"JPRIM", "ATPOINT INLINE INPLANE ORIENTATION PARALLEL_AXES PERPENDICULAR I J"},
    {"MOTION", "JOINT ROTATION TRANSLATION FUNCTION DISPLACEMENT VELOCITY ACCELERATION ICDISP "
               "ICVEL I J X Y Z B1 B2 B3 ROUTINE"},
    {"SPRINGDAMPER", "TRANSLATIONAL ROTATIONAL I J K C KT CT LENGTH ANGLE FORCE TORQUE"},
    {"SFORCE", "TRANSLATIONAL ROTATIONAL ACTIONONLY I J FUNCTION ROUTINE ARRAY"},
    {"VFORCE", "I JFLOAT RM FX FY FZ FUNCTION ROUTINE FXYZ"},
    {"VTORQUE", "I JFLOAT RM TX TY TZ FUNCTION ROUTINE TXYZ"},
    {"GFORCE", "I JFLOAT RM FX FY FZ TX TY TZ FUNCTION ROUTINE FXYZ TXYZ"},
    {NULL, NULL}};

// told apart from the above when they are cut short
static const char names[] =
    "UNITS ACCGRAV PART MARKER JOINT JPRIM MOTION SPRINGDAMPER SFORCE VFORCE VTORQUE GFORCE END "
    "GRAPHICS REQUEST MREQUEST OUTPUT RESULTS INTEGRATOR KINEMATICS EQUILIBRIUM IC DEBUG LSOLVER "
    "PREFERENCES SIMULATE MATERIAL VARIABLE ARRAY STRING SPLINE MATRIX BEAM BUSHING FIELD FRICTION "
    "CONTACT COUPLER CVCV PTCV GEAR GCON UCON TIRE NFORCE MFORCE POINT_MASS FLEX_BODY FE_PART DIFF "
    "LSE GSE TFSISO PINPUT POUTPUT PLANT SENSOR CURVE SURFACE";

bool hn_adams_is_expression(const char *argument) {
  return hn_word_in(argument, "FUNCTION FX FY FZ TX TY TZ");
}

// A whole word wins over those that merely begin with it (IC and ICTRAN).
const char *hn_adams_whole(const char *list, const char *word, size_t *length) {
  const char *found = NULL;
  size_t n = strlen(word), several = 0;
  // words of the list begin here
  for (const char *s = list; *s; s += strspn(s, " ")) {
    size_t m = strcspn(s, " ");
    if (n > 0 && n <= m && strncmp(s, word, n) == 0) {
      found = s, *length = m, several++;
      // the whole word ends the search
      if (n == m) return found;
    }
    s += m;
  }
  // two that begin so are told by neither
  return several == 1 ? found : NULL;
}

// ---- values --------------------------------------------------------------------------------

// "1.5" or "90D" up to the end or a comma
static bool read_number(hn_robot *robot, hn_xml *node, const char *argument, const char *text,
                        size_t length, double *value) {
  // a number has no more digits than that
  char copy[64];
  while (length > 0 && text[length - 1] == ' ') length--;
  bool degrees = length > 0 && toupper((unsigned char)text[length - 1]) == 'D';
  if (degrees) length--;
  if (length >= sizeof copy) {
    hn_robot_fail(robot, node, HN_ERR_SYNTAX, "%.40s: not a number: '%.40s'", argument, text);
    return false;
  }
  memcpy(copy, text, length), copy[length] = 0;
  if (hn_robot_parse(robot, node, argument, copy, value, 1, 1) != 1) return false;
  if (degrees) *value *= hn_pi / 180;
  return true;
}

// Separated by commas; take_piece has joined what was spread over lines.
int hn_adams_numbers(hn_robot *robot, hn_xml *node, const char *argument, double *out, int least,
                     int most) {
  const char *text = hn_xml_get(node, argument);
  int count = 0;
  if (!text || robot->status) return 0;
  // empty values are mistakes, which read_number tells
  for (const char *s = text;; s++) {
    size_t length = strcspn(s, ",");
    if (count == most) {
      hn_robot_fail(robot, node, HN_ERR_SYNTAX, "%s: more than %d numbers", argument, most);
      return 0;
    }
    if (!read_number(robot, node, argument, s, length, &out[count])) return 0;
    count++;
    s += length;
    if (!*s) break;
  }
  if (count >= least) return count;
  hn_robot_fail(robot, node, HN_ERR_SYNTAX, "%s: %d numbers expected, %d found", argument, least,
                count);
  return 0;
}

// Nine digits fit a long everywhere.
long hn_adams_id(hn_robot *robot, hn_xml *node, const char *argument) {
  // -1 is no identifier: they are positive
  const char *text = hn_xml_get(node, argument);
  long id = 0;
  if (!text || robot->status) return -1;
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 9 || text[digits]) {
    hn_robot_fail(robot, node, HN_ERR_SYNTAX, "%s=%.40s is no identifier: a whole number", argument,
                  text);
    return -1;
  }
  for (size_t i = 0; i < digits; i++) id = 10 * id + (text[i] - '0');
  return id;
}

// ---- arguments -----------------------------------------------------------------------------

// Joined lines are parted by line ends: a comma between arguments, nothing inside of parentheses.
enum { PIECES = 500 };

typedef struct cutter {
  hn_robot *robot;
  hn_xml *node;
  const char *arguments;  // those known
  hn_xml_attribute *last;
  int pieces;
} cutter;

static void add_attribute(cutter *c, const char *name, size_t length, const char *value) {
  hn_xml_attribute *a = hn_pool_take(&c->robot->pool, sizeof *a);
  char *own = hn_pool_text(&c->robot->pool, name, length);
  // attributes live as long as the dataset
  if (!a || !own) {
    hn_robot_fail(c->robot, NULL, HN_ERR_MEMORY, "out of memory");
    return;
  }
  *a = (hn_xml_attribute){.name = own, .value = value, .seen = true};
  if (c->last)
    c->last->next = a;
  else
    c->node->attribute = a;
  c->last = a;
}

// upper case, without blanks at both ends; those of line ends between numbers are none
static char *tidy(hn_robot *robot, const char *text, size_t length) {
  while (length > 0 && isspace((unsigned char)*text)) text++, length--;
  while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
  char *copy = hn_pool_text(&robot->pool, text, length);
  if (!copy) {
    hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
    return NULL;
  }
  // line ends and tabs become blanks; the solver knows no small letters
  for (char *s = copy; *s; s++)
    *s = isspace((unsigned char)*s) ? ' ' : (char)toupper((unsigned char)*s);
  return copy;
}

// one piece between commas: an argument, or more of the one before
// "QG=1", "2", "3" are one argument with three values: what does not begin with a letter, or
// follows an expression, belongs to the argument before it.
static void take_piece(cutter *c, const char *text, size_t length) {
  hn_robot *robot = c->robot;
  char *piece = tidy(robot, text, length);
  // two commas have nothing between them
  if (!piece || !*piece) return;
  char *equals = strchr(piece, '=');
  bool letter = isalpha((unsigned char)*piece);
  // a line of a million commas is no statement
  if (++c->pieces > PIECES) {
    hn_robot_fail(robot, c->node, HN_ERR_SYNTAX, "more than %d arguments and values", PIECES);
    return;
  }
  // identifiers and names of comments are small: they take no more values
  if (!equals && c->last && isupper((unsigned char)*c->last->name) &&
      (hn_adams_is_expression(c->last->name) || !letter)) {
    bool list = !hn_adams_is_expression(c->last->name);
    // values are parted by commas, pieces of an expression by a blank
    c->last->value = hn_robot_text(robot, list ? "%s,%s" : "%s %s", c->last->value, piece);
    return;
  }
  char *value = equals ? equals + 1 : piece + strlen(piece);
  if (equals) *equals = 0;
  // blanks in front of the equals sign
  for (char *end = piece + strlen(piece); end > piece && end[-1] == ' '; end--) end[-1] = 0;
  while (*value == ' ') value++;
  size_t n = 0;
  const char *whole = hn_adams_whole(c->arguments, piece, &n);
  if (!whole) {
    hn_robot_wrong(robot, c->node, "%s: no argument '%.40s' is known", c->node->name, piece);
    return;
  }
  // an abbreviation may repeat an argument
  for (hn_xml_attribute *a = c->node->attribute; a && !robot->status; a = a->next)
    if (strncmp(a->name, whole, n) == 0 && !a->name[n])
      hn_robot_fail(robot, c->node, HN_ERR_SYNTAX, "%s is given twice", a->name);
  add_attribute(c, whole, n, value);
}

// Commas inside of parentheses belong to functions; a backslash or the end of a line separates.
static void cut_arguments(cutter *c, const char *text, size_t length) {
  int depth = 0;
  size_t begin = 0;
  // the end of the text ends the last piece
  for (size_t i = 0; i <= length && !c->robot->status; i++) {
    char ch = i < length ? text[i] : ',';
    depth += (ch == '(') - (ch == ')');
    if (i < length && (depth > 0 || !strchr(",\\\n", ch) || !ch)) continue;
    take_piece(c, text + begin, i - begin);
    begin = i + 1;
  }
}

// ---- statements ----------------------------------------------------------------------------

typedef struct reader {
  hn_robot *robot;
  hn_xml *root;
  hn_text line;  // the statement so far
  int at;        // where it began; 0: there is none
  const char *view, *next_view;
  int count;
  bool ended;
} reader;

static const char *known_arguments(const char *name) {
  for (const statement_kind *k = kinds; k->name; k++)
    // statements that are not read keep their name and nothing else
    if (strcmp(k->name, name) == 0) return k->arguments;
  return NULL;
}

static hn_xml *add_statement(reader *r, const char *name) {
  hn_xml *e = hn_pool_take(&r->robot->pool, sizeof *e);
  if (!e) {
    hn_robot_fail(r->robot, NULL, HN_ERR_MEMORY, "out of memory");
    return NULL;
  }
  // lines count from the title on
  *e = (hn_xml){.name = name,
                .file = r->robot->file,
                .line = r->at,
                .column = 1,
                .seen = true,
                .parent = r->root};
  if (r->root->last)
    r->root->last->next = e;
  else
    r->root->first = e;
  r->root->last = e;
  return e;
}

// the whole name of the statement; what nobody knows stays as it is
static const char *whole_name(hn_robot *robot, const char *text, size_t length) {
  size_t n = 0;
  char *name = tidy(robot, text, length);
  // unknown words stay: messages name them
  const char *whole = name ? hn_adams_whole(names, name, &n) : NULL;
  return whole ? hn_pool_text(&robot->pool, whole, n) : name;
}

// NAME/id, or NAME/arguments of those that have no identifier.
static void end_statement(reader *r) {
  hn_robot *robot = r->robot;
  if (!r->at || robot->status) return;
  const char *text = r->line.data ? r->line.data : "";
  size_t length = r->line.length, head = strcspn(text, "/,");
  if (r->line.failed) hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
  // a semicolon may end a statement
  while (length > 0 && strchr("; \n", text[length - 1])) length--;
  if (head > length) head = length;
  const char *name = whole_name(robot, text, head);
  hn_xml *e = name ? add_statement(r, name) : NULL;
  if (e && strcmp(name, "END") == 0) r->ended = true;
  const char *arguments = e ? known_arguments(name) : NULL;
  if (arguments) {
    cutter c = {.robot = robot, .node = e, .arguments = arguments};
    // the slash belongs to neither
    size_t from = head + (text[head] == '/'), to = from;
    while (to < length && !strchr(",\n", text[to])) to++;
    char *id = tidy(robot, text + from, to - from);
    // UNITS and ACCGRAV have none
    // an identifier is the first thing behind the slash
    if (id && isdigit((unsigned char)*id)) add_attribute(&c, "id", 2, id), from = to;
    if (r->view) add_attribute(&c, "view", 4, r->view);
    if (!robot->status && from < length) cut_arguments(&c, text + from, length - from);
  }
  // the name in a comment belongs to one statement only
  r->line.length = 0, r->at = 0, r->view = NULL;
}

// adams_view_name='arm' in a comment
// ADAMS/View writes the name of the next statement's part there: better names than PART_7.
static void read_comment(reader *r, const char *text, size_t length) {
  static const char key[] = "adams_view_name='";
  size_t n = sizeof key - 1;
  // a comment may hold more than the name
  for (size_t i = 0; i + n < length; i++) {
    if (strncmp(text + i, key, n) != 0) continue;
    const char *name = text + i + n, *end = memchr(name, '\'', length - i - n);
    if (end) r->next_view = hn_pool_text(&r->robot->pool, name, (size_t)(end - name));
    return;
  }
}

// A statement ends where the next line does not begin with a comma.
// comments end with the line
static void read_line(reader *r, int number, const char *text, size_t length) {
  const char *comment = memchr(text, '!', length);
  if (comment) {
    read_comment(r, comment, length - (size_t)(comment - text));
    length = (size_t)(comment - text);
  }
  // trailing blanks, and the carriage return of other systems
  while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
  if (length == 0) return;
  bool more = *text == ',';
  if (more && !r->at) {
    hn_robot_fail(r->robot, r->root, HN_ERR_SYNTAX, "line %d goes on with no statement", number);
    return;
  }
  if (!more) {
    // the statement before is complete now
    end_statement(r);
    if (r->ended || r->robot->status) return;
    if (++r->count > HN_XML_ELEMENTS)
      hn_robot_fail(r->robot, r->root, HN_ERR_SYNTAX, "too many statements");
    r->at = number, r->view = r->next_view, r->next_view = NULL;
  }
  // the comma in front is a line end in the text that was joined
  if (more)
    hn_text_add(&r->line, "\n%.*s", (int)length - 1, text + 1);
  else
    hn_text_add(&r->line, "%.*s", (int)length, text);
}

// A dataset that begins with a statement has lost its title, and would lose that statement.
static void read_title(reader *r, const char *text, size_t length) {
  size_t n = 0, head = 0;
  // the first word of the title, as a statement would have it
  while (head < length && text[head] != '/') head++;
  char *first = tidy(r->robot, text, head), *title = hn_pool_text(&r->robot->pool, text, length);
  if (!first || !title) return;
  if (head < length && known_arguments(first) && hn_adams_whole(names, first, &n))
    hn_robot_fail(r->robot, r->root, HN_ERR_SYNTAX,
                  "the first line of a dataset is its title: put one before %s", first);
  // 'ADAMS/View model name: arm' is what the program writes
  char *colon = strrchr(title, ':');
  title = colon ? colon + 1 : title;
  for (char *s = title; *s; s++)
    if (*s == '\r') *s = 0;
  r->root->text = title + strspn(title, " ");
}

// Up to END; what stands behind it is not looked at.
hn_xml *hn_adams_parse(hn_robot *robot, const char *text, size_t length) {
  reader r = {.robot = robot, .root = hn_pool_take(&robot->pool, sizeof *r.root)};
  if (!r.root) {
    hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
    return NULL;
  }
  *r.root = (hn_xml){.name = "dataset", .file = robot->file, .line = 1, .column = 1, .seen = true};
  if (length > HN_XML_SIZE)
    hn_robot_fail(robot, NULL, HN_ERR_SYNTAX, "larger than %d MiB", HN_XML_SIZE >> 20);
  if (memchr(text, 0, length))
    hn_robot_fail(robot, NULL, HN_ERR_SYNTAX, "holds a zero byte: no text");
  size_t at = 0;
  for (int number = 1; at < length && !robot->status && !r.ended; number++) {
    // a last line without an end is one
    const char *end = memchr(text + at, '\n', length - at);
    size_t n = end ? (size_t)(end - text) - at : length - at;
    if (number == 1)
      read_title(&r, text, n);
    else
      read_line(&r, number, text + at, n);
    at += n + 1;
  }
  // END may be missing
  if (!r.ended) end_statement(&r);
  free(r.line.data);
  return robot->status ? NULL : r.root;
}
