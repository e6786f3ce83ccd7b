// read_design.c: factors of a study file, how they hang together, and the design that varies them.
// A factor says what it sets (parameter, option, place) and how it varies (one law). Correlations
// are between factors by name. The design comes last, since its number of runs may follow from the
// levels of all factors.
#include "model/options.h"
#include "study/read.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- factors ---------------------------------------------------------------------------------

static const char laws[] = "uniform normal log lognormal list grid log_grid";
static const char factor_keys[] =
    "uniform normal log lognormal list grid log_grid levels parameter option place unit";

// numbers may have units and be formulas of constants, as everywhere in model files
static hn_status read_pair(hn_study_reader *r, const hn_yaml *node, int count, double *x) {
  if (node->kind != HN_YAML_LIST || node->count != count)
    return hn_read_fail(&r->in, node, HN_ERR_SYNTAX, "%s must be a list of %d numbers",
                        node->key->text, count);
  hn_status status = HN_OK;
  for (int i = 0; i < count && !status; i++)
    status = hn_read_number(&r->in, hn_yaml_item(node, i), node->key->text, &x[i]);
  return status;
}

// "2 mm" and "pi/4" are, "rk4" is not
static bool is_number(const hn_yaml *node) {
  // no names are known here: a formula of parameters counts as a word
  double value;
  hn_expr_error error;
  return node->kind == HN_YAML_SCALAR &&
         hn_parse_number(node->text, strlen(node->text), NULL, NULL, &value, &error);
}

// words stand for themselves where options or places are set; numbers elsewhere
static hn_status read_list(hn_study_reader *r, const hn_yaml *node, hn_factor *f) {
  if (node->kind != HN_YAML_LIST || node->count < 1)
    return hn_read_fail(&r->in, node, HN_ERR_SYNTAX, "must be a list of values");
  bool words = false;
  // one word among numbers makes all of them words: '4' is then the text 4
  for (const hn_yaml *e = node->first; e; e = e->next) words = words || !is_number(e);
  // a parameter is a number, and a word there is a mistake: read_number says so
  words = words && f->target != HN_SET_PARAMETER;
  double *level = hn_study_take(r, (size_t)node->count * sizeof *level);
  const char **word = hn_study_take(r, (size_t)node->count * sizeof *word);
  if (!level || !word) return hn_read_fail_memory(&r->in);
  hn_status status = HN_OK;
  int i = 0;
  for (const hn_yaml *e = node->first; e && !status; e = e->next, i++) {
    // words are told apart by their numbers, from 0
    level[i] = i;
    if (words) {
      status = hn_study_word(r, e, "a value", &word[i]);
      // values are written into texts of fixed size (member.c)
      if (!status && strlen(word[i]) > 100)
        status = hn_read_fail(&r->in, e, HN_ERR_MODEL, "a word is longer than 100 characters");
    } else {
      status = hn_read_number(&r->in, e, "a value", &level[i]);
    }
  }
  // words of a list of numbers are not kept: NULL says that level[] are values
  f->law = HN_LAW_LEVELS, f->levels = node->count, f->level = level, f->word = words ? word : NULL;
  return status;
}

// a grid is a list that was not written out
static hn_status read_grid(hn_study_reader *r, const hn_yaml *node, bool logarithmic,
                           hn_factor *f) {
  double x[3];
  hn_status status = read_pair(r, node, 3, x);
  if (status) return status;
  // a million levels are a slip, or another design
  if (x[2] < 2 || x[2] > 1e6 || x[2] != floor(x[2]))
    return hn_read_fail(&r->in, node, HN_ERR_MODEL,
                        "%s is [from, to, how many], with 2 values or more", node->key->text);
  if (logarithmic && !(x[0] > 0 && x[1] > 0))
    return hn_read_fail(&r->in, node, HN_ERR_MODEL, "log_grid must run between positive numbers");
  int n = (int)x[2];
  double *level = hn_study_take(r, (size_t)n * sizeof *level);
  if (!level) return hn_read_fail_memory(&r->in);
  // levels are spaced as places of that law are
  hn_factor shape = {.law = logarithmic ? HN_LAW_LOG : HN_LAW_UNIFORM, .a = x[0], .b = x[1]};
  for (int i = 0; i < n; i++) level[i] = hn_factor_level(&shape, i, n);
  f->law = HN_LAW_LEVELS, f->levels = n, f->level = level;
  return HN_OK;
}

// f->a and f->b are what hn_law says of them
static hn_status read_law(hn_study_reader *r, const hn_yaml *node, hn_factor *f) {
  const char *word = node->key->text;
  if (strcmp(word, "list") == 0) return read_list(r, node, f);
  if (strcmp(word, "grid") == 0) return read_grid(r, node, false, f);
  if (strcmp(word, "log_grid") == 0) return read_grid(r, node, true, f);
  double x[2];
  hn_status status = read_pair(r, node, 2, x);
  if (status) return status;
  // uniform and log are by their ends, the others by middle and spread
  bool range = strcmp(word, "uniform") == 0 || strcmp(word, "log") == 0;
  f->law = strcmp(word, "uniform") == 0  ? HN_LAW_UNIFORM
           : strcmp(word, "log") == 0    ? HN_LAW_LOG
           : strcmp(word, "normal") == 0 ? HN_LAW_NORMAL
                                         : HN_LAW_LOGNORMAL;
  f->a = x[0], f->b = x[1];
  if (range && !(x[0] < x[1]))
    return hn_read_fail(&r->in, node, HN_ERR_MODEL, "%s must run from the smaller to the larger",
                        word);
  if (!range && !(x[1] > 0))
    return hn_read_fail(&r->in, node, HN_ERR_MODEL, "%s: the spread must be positive", word);
  if ((f->law == HN_LAW_LOG || f->law == HN_LAW_LOGNORMAL) && !(x[0] > 0))
    return hn_read_fail(&r->in, node, HN_ERR_MODEL, "%s must be of positive numbers", word);
  return HN_OK;
}

// what the factor sets: a parameter of its name, unless told otherwise
// whether a parameter or a place is there is known when a first model is made of it
static hn_status read_target(hn_study_reader *r, const hn_yaml *e, hn_factor *f) {
  // in the order of hn_target
  static const char *const word[] = {"parameter", "option", "place"};
  f->target = HN_SET_PARAMETER;
  f->path = f->name;
  int given = 0;
  for (int i = 0; i < 3 && e->kind == HN_YAML_MAP; i++) {
    const hn_yaml *node = hn_yaml_get(e, word[i]);
    if (!node) continue;
    f->target = (hn_target)i;
    // what it sets need not be its name: 'mass' may set bodies.crank.mass
    hn_status status = hn_study_word(r, node, word[i], &f->path);
    if (status) return status;
    // the first one given has been taken already: the second is the one that is told
    if (++given > 1)
      return hn_read_fail(&r->in, node, HN_ERR_MODEL, "sets one thing: parameter, option or place");
    if (i == HN_SET_OPTION && !hn_option_find(f->path))
      return hn_read_fail(&r->in, node, HN_ERR_MODEL,
                          "no option '%.60s' ('holon methods' lists them)", f->path);
    if (i == HN_SET_OPTION && strcmp(f->path, "code") == 0)
      return hn_read_fail(&r->in, node, HN_ERR_MODEL, "machine code is no matter of a study file");
  }
  return HN_OK;
}

// Two factors of one target would have the last of them set it in every run, and columns of the
// others that tell values which no run had
static hn_status check_alone(hn_study_reader *r, const hn_yaml *e, const hn_factor *f) {
  // those before it only: pairs are looked at once
  for (const hn_factor *other = r->study->factor; other < f; other++)
    if (other->target == f->target && strcmp(other->path, f->path) == 0)
      return hn_read_fail(&r->in, e->key, HN_ERR_MODEL, "sets '%.60s', as factor '%s' does",
                          f->path, other->name);
  return HN_OK;
}

// Names of factors are columns and may have points in them, as places have; those of metrics may
// not.
static hn_status read_factor(hn_study_reader *r, const hn_yaml *e, hn_factor *f) {
  hn_study_enter(r, "factor", e->key->text);
  *f = (hn_factor){.name = hn_study_text(r, e->key->text), .unit = "", .correlated = -1};
  if (!f->name) return hn_read_fail_memory(&r->in);
  if (hn_find_control(f->name) || strlen(f->name) > 60)
    return hn_read_fail(&r->in, e->key, HN_ERR_MODEL, "bad name");
  // columns that every table has
  if (hn_word_in(f->name, "run status feasible message"))
    return hn_read_fail(&r->in, e->key, HN_ERR_MODEL, "the name is reserved");
  hn_status status = read_target(r, e, f);
  if (!status) status = check_alone(r, e, f);
  // a list alone is short for {list: [...]}
  if (!status && e->kind == HN_YAML_LIST) return read_list(r, e, f);
  if (status) return status;
  if (e->kind != HN_YAML_MAP)
    return hn_read_fail(&r->in, e, HN_ERR_SYNTAX, "must say how it varies: {uniform: [0, 1]}, ...");
  // before the law is read: an unknown key is told as such, and not as a law that is missing
  status = hn_study_keys(r, e, factor_keys);
  const hn_yaml *law = NULL, *unit = hn_yaml_get(e, "unit"), *levels = hn_yaml_get(e, "levels");
  for (const hn_yaml *k = e->first; k && !status; k = k->next) {
    if (!hn_word_in(k->key->text, laws)) continue;
    if (law)
      return hn_read_fail(&r->in, k->key, HN_ERR_MODEL, "varies in one way: '%s' or '%s'",
                          law->key->text, k->key->text);
    law = k;
    status = read_law(r, k, f);
  }
  if (!status && !law)
    return hn_read_fail(&r->in, e->key, HN_ERR_MODEL, "does not say how it varies (one of: %s)",
                        laws);
  double count = 0;
  if (!status && unit) status = hn_study_word(r, unit, "unit", &f->unit);
  // levels of a distribution are for designs on grids
  if (!status && levels) status = hn_study_whole(r, levels, "levels", 1, 1e6, &count);
  if (status || !levels) return status;
  if (f->law == HN_LAW_LEVELS)
    return hn_read_fail(&r->in, levels, HN_ERR_MODEL, "a list has its own number of levels");
  f->levels = (int)count;
  return HN_OK;
}

hn_status hn_study_read_factors(hn_study_reader *r) {
  // in the order of the file: it is that of columns
  const hn_yaml *section;
  hn_study *study = r->study;
  hn_status status = hn_study_section(r, "factors", HN_YAML_MAP, &section);
  if (status) return status;
  if (!section)
    return hn_read_fail(&r->in, hn_yaml_root(r->in.doc), HN_ERR_MODEL,
                        "are missing: a study says what varies");
  // arrays of 256 hold a point everywhere in this folder
  if (section->count > 256) return hn_read_fail(&r->in, section, HN_ERR_MODEL, "more than 256");
  study->factor = hn_study_take(r, (size_t)section->count * sizeof *study->factor);
  if (!study->factor) return hn_read_fail_memory(&r->in);
  for (const hn_yaml *e = section->first; e && !status; e = e->next)
    // counted first: messages about a factor may look it up
    status = read_factor(r, e, &study->factor[study->factors++]);
  return status;
}

int hn_study_factor(const hn_study *study, const char *name) {
  for (int i = 0; i < study->factors; i++)
    if (strcmp(study->factor[i].name, name) == 0) return i;
  return -1;
}

// a name that is near another is suggested
static hn_status named_factor(hn_study_reader *r, const hn_yaml *node, const char *name,
                              int *index) {
  // more names than fit are not suggested, nothing else
  char known[512] = "";
  *index = hn_study_factor(r->study, name);
  if (*index >= 0) return HN_OK;
  for (int i = 0; i < r->study->factors; i++)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? " " : "",
             r->study->factor[i].name);
  return hn_read_fail_word(&r->in, node, HN_ERR_MODEL, "no factor", name, known);
}

// ---- correlations ----------------------------------------------------------------------------

// the root of the correlation matrix; false: there are no variables with these correlations
// Cholesky; 1e-12 keeps out correlations that determine one factor by others
static bool factorise(double *a, int n) {
  // row by row; the upper triangle is left as it was and never read
  for (int i = 0; i < n; i++)
    for (int k = 0; k <= i; k++) {
      double sum = a[i * n + k];
      for (int j = 0; j < k; j++) sum -= a[i * n + j] * a[k * n + j];
      // positive: the row above passed
      if (i != k) {
        a[i * n + k] = sum / a[k * n + k];
      } else {
        if (!(sum > 1e-12)) return false;
        a[i * n + i] = sqrt(sum);
      }
    }
  return true;
}

// factors get their places in the matrix as they are met: those without correlations have none
static hn_status read_correlation(hn_study_reader *r, const hn_yaml *e, int pair[2], double *rho) {
  const hn_yaml *a = hn_yaml_item(e, 0), *b = hn_yaml_item(e, 1), *c = hn_yaml_item(e, 2);
  if (e->kind != HN_YAML_LIST || e->count != 3 || a->kind != HN_YAML_SCALAR ||
      b->kind != HN_YAML_SCALAR)
    return hn_read_fail(&r->in, e, HN_ERR_SYNTAX, "an entry is [factor, factor, correlation]");
  hn_status status = named_factor(r, a, a->text, &pair[0]);
  if (!status) status = named_factor(r, b, b->text, &pair[1]);
  if (!status) status = hn_read_number(&r->in, c, "correlation", rho);
  if (status) return status;
  // 1 and -1 make one factor of two
  if (pair[0] == pair[1] || !(fabs(*rho) < 1))
    return hn_read_fail(&r->in, e, HN_ERR_MODEL, "is of two factors and lies between -1 and 1");
  for (int i = 0; i < 2; i++)
    if (r->study->factor[pair[i]].correlated < 0)
      // the first to be named has place 0
      r->study->factor[pair[i]].correlated = r->study->correlated++;
  return HN_OK;
}

// read twice: how large the matrix is is known after the first time
hn_status hn_study_read_correlations(hn_study_reader *r) {
  const hn_yaml *section;
  hn_study *study = r->study;
  hn_status status = hn_study_section(r, "correlations", HN_YAML_LIST, &section);
  if (status || !section) return status;
  int pair[2];
  double rho;
  for (const hn_yaml *e = section->first; e && !status; e = e->next)
    status = read_correlation(r, e, pair, &rho);
  if (status) return status;
  int n = study->correlated;
  // n x n, row by row, ones in its diagonal
  double *a = hn_study_take(r, (size_t)(n * n) * sizeof *a);
  if (!a) return hn_read_fail_memory(&r->in);
  for (int i = 0; i < n; i++) a[i * n + i] = 1;
  for (const hn_yaml *e = section->first; e; e = e->next) {
    // the second reading cannot fail where the first did not
    (void)read_correlation(r, e, pair, &rho);
    int i = study->factor[pair[0]].correlated, k = study->factor[pair[1]].correlated;
    // nobody gives 0 for a pair that is there twice: what is not zero was said before
    if (a[i * n + k] != 0)
      return hn_read_fail(&r->in, e, HN_ERR_MODEL,
                          "the correlation of '%.60s' and '%.60s' stands twice",
                          study->factor[pair[0]].name, study->factor[pair[1]].name);
    a[i * n + k] = a[k * n + i] = rho;
  }
  if (!factorise(a, n))
    return hn_read_fail(&r->in, section, HN_ERR_MODEL,
                        "no variables have all of these at once (the matrix is not positive)");
  study->chol = a;
  return HN_OK;
}

// ---- design ----------------------------------------------------------------------------------

static const hn_design *find_design(const char *name) {
  for (int i = 0; hn_design_at(i); i++)
    if (strcmp(hn_design_at(i)->name, name) == 0) return hn_design_at(i);
  return NULL;
}

// "a*b*c", with a minus in front or without
static hn_status read_generator(hn_study_reader *r, const hn_yaml *e) {
  hn_study *study = r->study;
  int of, index;
  hn_status status = named_factor(r, e->key, e->key->text, &of);
  if (!status && e->kind != HN_YAML_SCALAR)
    status = hn_read_fail(&r->in, e, HN_ERR_SYNTAX, "a generator is a product: 'a*b*c'");
  if (status) return status;
  const char *text = e->text;
  // the sign: products of the others, turned
  if (*text == '-') study->fraction[of] |= HN_FRACTION_MINUS, text++;
  while (*text && !status) {
    char word[64];
    size_t length = strcspn(text, "*");
    // blanks around names are allowed
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    char *begin = word + strspn(word, " ");
    begin[strcspn(begin, " ")] = 0;
    status = named_factor(r, e, begin, &index);
    // the sign of a factor times itself is none: such a product is a slip of the pen
    // the shift comes first: >> binds more tightly than &
    if (!status && study->fraction[of] >> index & 1)
      return hn_read_fail(&r->in, e, HN_ERR_MODEL, "'%.60s' stands twice in the product", begin);
    if (!status) study->fraction[of] |= 1 << index;
    text += length + (text[length] == '*');
  }
  if (!status && !(study->fraction[of] & ~HN_FRACTION_MINUS))
    return hn_read_fail(&r->in, e, HN_ERR_SYNTAX, "a generator is a product: 'a*b*c'");
  return status;
}

// products are bits of an int: 30 factors, and the sign
static hn_status read_generators(hn_study_reader *r, const hn_yaml *section) {
  hn_study *study = r->study;
  if (strcmp(study->design->name, "fractional") != 0)
    return section ? hn_read_fail(&r->in, section, HN_ERR_MODEL,
                                  "only a 'fractional' design has generators")
                   : HN_OK;
  // zeros: all factors are free until a generator says otherwise
  study->fraction = hn_study_take(r, (size_t)study->factors * sizeof *study->fraction);
  if (!study->fraction) return hn_read_fail_memory(&r->in);
  if (study->factors > 30)
    return hn_read_fail(&r->in, hn_yaml_root(r->in.doc), HN_ERR_MODEL,
                        "a fractional design has 30 factors at most");
  if (!section) return HN_OK;
  if (section->kind != HN_YAML_MAP)
    return hn_read_fail(&r->in, section, HN_ERR_SYNTAX, "generators are a map: {d: a*b*c}");
  hn_status status = HN_OK;
  for (const hn_yaml *e = section->first; e && !status; e = e->next) status = read_generator(r, e);
  return status;
}

// a copula needs distributions: levels have none
static hn_status plan(hn_study_reader *r, const hn_yaml *section) {
  char message[HN_MESSAGE];
  hn_study *study = r->study;
  const hn_yaml *at = section ? section : hn_yaml_root(r->in.doc);
  // copulas mix numbers, not levels
  if (study->correlated && study->design->on_levels)
    return hn_read_fail(&r->in, at, HN_ERR_MODEL,
                        "correlated factors need a random design, not '%s'", study->design->name);
  if (study->design->plan(study, message)) return HN_OK;
  return hn_read_fail(&r->in, at, HN_ERR_MODEL, "%s", message);
}

static hn_status read_design_type(hn_study_reader *r, const hn_yaml *type) {
  char known[256] = "";
  // known words come from the table: the message has all designs there are
  for (int i = 0; hn_design_at(i); i++)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? " " : "",
             hn_design_at(i)->name);
  if (type->kind != HN_YAML_SCALAR)
    return hn_read_fail(&r->in, type, HN_ERR_SYNTAX, "type must be a word");
  r->study->design = find_design(type->text);
  if (r->study->design) return HN_OK;
  return hn_read_fail_word(&r->in, type, HN_ERR_MODEL, "no design", type->text, known);
}

// `design: sobol` alone is a short form for designs that need nothing else
hn_status hn_study_read_design(hn_study_reader *r) {
  const hn_yaml *section = NULL;
  hn_study *study = r->study;
  const hn_yaml *given = hn_yaml_get(hn_yaml_root(r->in.doc), "design");
  hn_study_enter(r, "design", NULL);
  // all combinations, where nothing is said; points of sequences are moved unless told otherwise
  study->design = find_design("full");
  study->scrambled = true;
  hn_status status = HN_OK;
  if (given && given->kind == HN_YAML_SCALAR && !hn_yaml_is_empty(given)) {
    status = read_design_type(r, given);
  } else {
    status = hn_study_section(r, "design", HN_YAML_MAP, &section);
    if (!status && section)
      status = hn_study_keys(r, section, "type runs seed scramble generators");
    const hn_yaml *type = section ? hn_yaml_get(section, "type") : NULL;
    if (!status && type) status = read_design_type(r, type);
  }
  if (status) return status;
  const hn_yaml *runs = section ? hn_yaml_get(section, "runs") : NULL;
  const hn_yaml *seed = section ? hn_yaml_get(section, "seed") : NULL;
  const hn_yaml *scramble = section ? hn_yaml_get(section, "scramble") : NULL;
  const hn_yaml *at = given ? given : hn_yaml_root(r->in.doc);
  double number = 0;
  // 1e12 runs are more than anybody makes, and keep products of factors exact
  if (runs) status = hn_study_whole(r, runs, "runs", 1, 1e12, &number);
  study->runs = (long)number;
  number = 1;
  // doubles count up to 9e15 by ones
  if (!status && seed) status = hn_study_whole(r, seed, "seed", 0, 9e15, &number);
  study->seed = (uint64_t)number;
  if (!status && scramble) {
    if (scramble->kind != HN_YAML_SCALAR || !hn_word_in(scramble->text, "on off"))
      return hn_read_fail(&r->in, scramble, HN_ERR_MODEL, "scramble is on or off");
    study->scrambled = strcmp(scramble->text, "on") == 0;
  }
  if (!status && study->design->counted && !runs)
    // a design without a number of runs, where it is to be said, would have none
    return hn_read_fail(&r->in, at, HN_ERR_MODEL, "'%s' needs 'runs: HOW_MANY'",
                        study->design->name);
  if (!status && !study->design->counted && runs)
    return hn_read_fail(&r->in, runs, HN_ERR_MODEL, "the runs of '%s' follow from the factors",
                        study->design->name);
  if (!status) status = read_generators(r, section ? hn_yaml_get(section, "generators") : NULL);
  return status ? status : plan(r, given);
}
