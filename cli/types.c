// types.c: holon joints, holon forces. What exists, from the library's own tables.
#include "common.h"

#include <string.h>

typedef const hn_type_info *type_at(int index);

static void print_all(type_at *at, const char *note) {
  const hn_type_info *type;
  for (int i = 0; (type = at(i)); i++) {
    printf("%-20s ", type->name);
    print_wrapped(stdout, 21, type->help);
    if (!*type->keys) continue;
    printf("%-20s keys: ", "");
    print_wrapped(stdout, 27, type->keys);
  }
  printf("\n%s", note);
}

static void print_one(const hn_type_info *type, const char *note) {
  printf("%s\n  ", type->name);
  print_wrapped(stdout, 2, type->help);
  printf("  keys:     ");
  print_wrapped(stdout, 12, *type->keys ? type->keys : "none");
  printf("  required: ");
  print_wrapped(stdout, 12, *type->required ? type->required : "none");
  printf("\n%s", note);
}

static int unknown(const command *self, type_at *at, const char *what, const char *name) {
  enum { MOST = 64 };
  const char *names[MOST];
  int count = 0;
  for (const hn_type_info *type; count < MOST && (type = at(count)); count++)
    names[count] = type->name;
  const char *near = nearest(name, count, names);
  if (near) return usage_error(self, "no %s '%s' (did you mean '%s'?)", what, name, near);
  return usage_error(self, "no %s '%s' ('holon %s' lists them)", what, name, self->name);
}

static int show(const command *self, int argc, char **argv, type_at *at, const char *what,
                const char *note) {
  int c;
  while ((c = next_option(self, argc, argv, self->options)) != OPTION_END)
    return c == OPTION_HELP ? CODE_DONE : CODE_USAGE;
  if (argc == optind) {
    print_all(at, note);
    return CODE_DONE;
  }
  const char *name = single_operand(self, argc, argv, what);
  if (!name) return CODE_USAGE;
  const hn_type_info *type;
  for (int i = 0; (type = at(i)); i++)
    if (strcmp(type->name, name) == 0) {
      print_one(type, note);
      return CODE_DONE;
    }
  return unknown(self, at, what, name);
}

static int run_joints(const command *self, int argc, char **argv) {
  return show(self, argc, argv, hn_joint_type_at, "joint type",
              "Joints between bodies also have the ends a and b: BODY or BODY.FRAME. Every\n"
              "joint may have stiffness (its share of redundant reactions) and components\n"
              "(record every row's multiplier). 'holon schema' tells what each key means.\n");
}

static int run_forces(const command *self, int argc, char **argv) {
  return show(self, argc, argv, hn_force_type_at, "force type",
              "Forces between bodies also have the ends a and b: BODY or BODY.FRAME; a is the\n"
              "ground when it is left out. 'holon schema' tells what each key means.\n");
}

const command command_joints = {
    .name = "joints",
    .help = "list the joint types and their keys",
    .usage = "usage: holon joints [TYPE]\n\n"
             "Lists the types of joints with the keys they understand in a model file, or shows\n"
             "one of them.\n\n"
             "  -h, --help  this text\n\n"
             "  holon joints revolute\n",
    .run = run_joints,
    .options = help_only,
    .operand = "joint",
};

const command command_forces = {
    .name = "forces",
    .help = "list the force types and their keys",
    .usage = "usage: holon forces [TYPE]\n\n"
             "Lists the types of forces with the keys they understand in a model file, or shows\n"
             "one of them.\n\n"
             "  -h, --help  this text\n\n"
             "  holon forces spring\n",
    .run = run_forces,
    .options = help_only,
    .operand = "force",
};
