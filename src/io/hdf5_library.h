// hdf5_library.h: HDF5, loaded when the first file asks for it.
//
// Debian's HDF5 brings thirty libraries along (curl, TLS, Kerberos): linked to a program, they are
// most of the time it takes to start. So nothing is linked; functions and constants are looked up
// by name in the library that was found when holon was built. The names below stand for what was
// found, so that the code reads as always. Where only an archive of HDF5 is there, it is linked
// after all.
#ifndef HN_HDF5_LIBRARY_H
#define HN_HDF5_LIBRARY_H

#include <hdf5.h>
#include <stdbool.h>

#ifndef HN_HDF5_NAME

static bool hn_h5_load(void) {
  return true;
}

static const char *hn_h5_trouble(void) {
  return "";
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// what is called, and constants; H5open and those with _g stand in macros of hdf5.h
// clang-format off
#define HN_H5_NAMES(X)                                                                             \
  X(H5Aclose) X(H5Acreate2) X(H5Aexists) X(H5Aget_space) X(H5Aget_type) X(H5Aopen) X(H5Aread)      \
  X(H5Awrite) X(H5Dclose) X(H5Dcreate2) X(H5Dget_space) X(H5Dget_type) X(H5Dopen2) X(H5Dread)      \
  X(H5Dwrite) X(H5Eset_auto2) X(H5Ewalk2) X(H5Fcreate) X(H5Fflush) X(H5Fget_file_image)            \
  X(H5Fget_vfd_handle) X(H5Fopen) X(H5Lexists) X(H5P_CLS_DATASET_CREATE_ID_g)                      \
  X(H5P_CLS_FILE_ACCESS_ID_g) X(H5Pclose) X(H5Pcreate) X(H5Pset_chunk) X(H5Pset_deflate)           \
  X(H5Pset_fapl_core) X(H5Pset_libver_bounds) X(H5Pset_shuffle) X(H5Sclose) X(H5Screate)           \
  X(H5Screate_simple) X(H5Sget_simple_extent_dims) X(H5Sget_simple_extent_ndims)                   \
  X(H5Sget_simple_extent_npoints) X(H5Sselect_hyperslab) X(H5T_C_S1_g) X(H5T_IEEE_F64LE_g)         \
  X(H5T_NATIVE_DOUBLE_g) X(H5Tclose) X(H5Tcopy) X(H5Tget_class) X(H5Tget_cset) X(H5Tget_size)      \
  X(H5Tis_variable_str) X(H5Tset_cset) X(H5Tset_size) X(H5Tset_strpad) X(H5check_version)          \
  X(H5open)
// clang-format on

static struct {
#define X(name) __typeof__(name) *name;
  HN_H5_NAMES(X)
#undef X
} hn_h5;

static pthread_once_t hn_h5_once = PTHREAD_ONCE_INIT;
static char hn_h5_text[256];  // empty: it is there

// by name as the linker would, then where it was found. A program that is linked to the library
// itself may hold its constants in its own memory: it is asked first
static void *hn_h5_open(void **program) {
  void *library = dlopen(HN_HDF5_NAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  *program = library ? dlopen(NULL, RTLD_LAZY) : NULL;
  if (!library) library = dlopen(HN_HDF5_NAME, RTLD_LAZY | RTLD_LOCAL);
  const char *why = library ? NULL : dlerror();
  snprintf(hn_h5_text, sizeof hn_h5_text, "%s", why ? why : "it was not found");
  if (!library) library = dlopen(HN_HDF5_PATH, RTLD_LAZY | RTLD_LOCAL);
  if (library) *hn_h5_text = 0;
  return library;
}

static void hn_h5_find(void) {
  static const struct {
    const char *name;
    void *place;
  } wanted[] = {
#define X(name) {#name, &hn_h5.name},
      HN_H5_NAMES(X)
#undef X
  };
  void *program, *library = hn_h5_open(&program);
  for (size_t i = 0; library && i < sizeof wanted / sizeof *wanted && !*hn_h5_text; i++) {
    void *symbol = program ? dlsym(program, wanted[i].name) : NULL;
    if (!symbol) symbol = dlsym(library, wanted[i].name);
    memcpy(wanted[i].place, &symbol, sizeof symbol);
    if (!symbol) snprintf(hn_h5_text, sizeof hn_h5_text, "it has no %s", wanted[i].name);
  }
}

static bool hn_h5_load(void) {
  pthread_once(&hn_h5_once, hn_h5_find);
  return !*hn_h5_text;
}

static const char *hn_h5_trouble(void) {
  return hn_h5_text;
}

#define H5Aclose                     (*hn_h5.H5Aclose)
#define H5Acreate2                   (*hn_h5.H5Acreate2)
#define H5Aexists                    (*hn_h5.H5Aexists)
#define H5Aget_space                 (*hn_h5.H5Aget_space)
#define H5Aget_type                  (*hn_h5.H5Aget_type)
#define H5Aopen                      (*hn_h5.H5Aopen)
#define H5Aread                      (*hn_h5.H5Aread)
#define H5Awrite                     (*hn_h5.H5Awrite)
#define H5Dclose                     (*hn_h5.H5Dclose)
#define H5Dcreate2                   (*hn_h5.H5Dcreate2)
#define H5Dget_space                 (*hn_h5.H5Dget_space)
#define H5Dget_type                  (*hn_h5.H5Dget_type)
#define H5Dopen2                     (*hn_h5.H5Dopen2)
#define H5Dread                      (*hn_h5.H5Dread)
#define H5Dwrite                     (*hn_h5.H5Dwrite)
#define H5Eset_auto2                 (*hn_h5.H5Eset_auto2)
#define H5Ewalk2                     (*hn_h5.H5Ewalk2)
#define H5Fcreate                    (*hn_h5.H5Fcreate)
#define H5Fflush                     (*hn_h5.H5Fflush)
#define H5Fget_file_image            (*hn_h5.H5Fget_file_image)
#define H5Fget_vfd_handle            (*hn_h5.H5Fget_vfd_handle)
#define H5Fopen                      (*hn_h5.H5Fopen)
#define H5Lexists                    (*hn_h5.H5Lexists)
#define H5P_CLS_DATASET_CREATE_ID_g  (*hn_h5.H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g     (*hn_h5.H5P_CLS_FILE_ACCESS_ID_g)
#define H5Pclose                     (*hn_h5.H5Pclose)
#define H5Pcreate                    (*hn_h5.H5Pcreate)
#define H5Pset_chunk                 (*hn_h5.H5Pset_chunk)
#define H5Pset_deflate               (*hn_h5.H5Pset_deflate)
#define H5Pset_fapl_core             (*hn_h5.H5Pset_fapl_core)
#define H5Pset_libver_bounds         (*hn_h5.H5Pset_libver_bounds)
#define H5Pset_shuffle               (*hn_h5.H5Pset_shuffle)
#define H5Sclose                     (*hn_h5.H5Sclose)
#define H5Screate                    (*hn_h5.H5Screate)
#define H5Screate_simple             (*hn_h5.H5Screate_simple)
#define H5Sget_simple_extent_dims    (*hn_h5.H5Sget_simple_extent_dims)
#define H5Sget_simple_extent_ndims   (*hn_h5.H5Sget_simple_extent_ndims)
#define H5Sget_simple_extent_npoints (*hn_h5.H5Sget_simple_extent_npoints)
#define H5Sselect_hyperslab          (*hn_h5.H5Sselect_hyperslab)
#define H5T_C_S1_g                   (*hn_h5.H5T_C_S1_g)
#define H5T_IEEE_F64LE_g             (*hn_h5.H5T_IEEE_F64LE_g)
#define H5T_NATIVE_DOUBLE_g          (*hn_h5.H5T_NATIVE_DOUBLE_g)
#define H5Tclose                     (*hn_h5.H5Tclose)
#define H5Tcopy                      (*hn_h5.H5Tcopy)
#define H5Tget_class                 (*hn_h5.H5Tget_class)
#define H5Tget_cset                  (*hn_h5.H5Tget_cset)
#define H5Tget_size                  (*hn_h5.H5Tget_size)
#define H5Tis_variable_str           (*hn_h5.H5Tis_variable_str)
#define H5Tset_cset                  (*hn_h5.H5Tset_cset)
#define H5Tset_size                  (*hn_h5.H5Tset_size)
#define H5Tset_strpad                (*hn_h5.H5Tset_strpad)
#define H5check_version              (*hn_h5.H5check_version)
#define H5open                       (*hn_h5.H5open)

#endif
#endif
