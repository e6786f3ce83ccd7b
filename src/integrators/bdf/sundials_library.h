// sundials_library.h: SUNDIALS, loaded when the first run asks for its steppers (base/library.h):
// its symbols are a third of what is looked up when a program starts that is linked to it. Where
// only archives were there, they are linked.
#ifndef HN_SUNDIALS_LIBRARY_H
#define HN_SUNDIALS_LIBRARY_H

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

// false: it is not there, and *trouble says why
bool hn_sundials_load(const char **trouble);

#ifdef HN_SUNDIALS_LOADED

// what is called of each library; functions of all of them are asked for in the first
// clang-format off
#define HN_CVODE_NAMES(X)                                                                          \
  X(CVode) X(CVodeCreate) X(CVodeFree) X(CVodeGetCurrentGamma) X(CVodeGetCurrentStep)              \
  X(CVodeGetDky) X(CVodeGetNumErrTestFails) X(CVodeGetNumNonlinSolvConvFails) X(CVodeInit)         \
  X(CVodeReInit) X(CVodeSetErrHandlerFn) X(CVodeSetInitStep) X(CVodeSetLinearSolutionScaling)      \
  X(CVodeSetLinearSolver) X(CVodeSetLinSysFn) X(CVodeSetMaxHnilWarns) X(CVodeSetMaxOrd)            \
  X(CVodeSetMaxStep) X(CVodeSetProjErrEst) X(CVodeSetProjFn) X(CVodeSetUserData)                   \
  X(CVodeWFtolerances) X(N_VGetArrayPointer) X(SUNContext_Create) X(SUNContext_Free)               \
  X(SUNLinSolFreeEmpty) X(SUNLinSolNewEmpty) X(SUNMatFreeEmpty) X(SUNMatNewEmpty)
#define HN_IDA_NAMES(X)                                                                            \
  X(IDACreate) X(IDAFree) X(IDAGetCurrentCj) X(IDAGetCurrentStep) X(IDAGetDky)                     \
  X(IDAGetNumErrTestFails) X(IDAGetNumNonlinSolvConvFails) X(IDAInit) X(IDAReInit)                 \
  X(IDASetErrHandlerFn) X(IDASetId) X(IDASetInitStep) X(IDASetJacFn)                               \
  X(IDASetLinearSolutionScaling) X(IDASetLinearSolver) X(IDASetMaxNonlinIters) X(IDASetMaxOrd)     \
  X(IDASetMaxStep) X(IDASetNonlinConvCoef) X(IDASetSuppressAlg) X(IDASetUserData) X(IDASolve)      \
  X(IDAWFtolerances)
#define HN_VECTOR_NAMES(X)                                                                         \
  X(N_VClone_Serial) X(N_VDestroy_Serial) X(N_VMake_Serial) X(N_VNew_Serial)
// clang-format on

// Functions are called by their own names: the macros below lead them through this table, but not
// where it is filled (HN_SUNDIALS_TABLE).
typedef struct hn_sundials_functions {
#define X(name) __typeof__(name) *name;
  HN_CVODE_NAMES(X)
  HN_IDA_NAMES(X)
  HN_VECTOR_NAMES(X)
#undef X
} hn_sundials_functions;
extern hn_sundials_functions hn_sundials;

#ifndef HN_SUNDIALS_TABLE
#define CVode                          (*hn_sundials.CVode)
#define CVodeCreate                    (*hn_sundials.CVodeCreate)
#define CVodeFree                      (*hn_sundials.CVodeFree)
#define CVodeGetCurrentGamma           (*hn_sundials.CVodeGetCurrentGamma)
#define CVodeGetCurrentStep            (*hn_sundials.CVodeGetCurrentStep)
#define CVodeGetDky                    (*hn_sundials.CVodeGetDky)
#define CVodeGetNumErrTestFails        (*hn_sundials.CVodeGetNumErrTestFails)
#define CVodeGetNumNonlinSolvConvFails (*hn_sundials.CVodeGetNumNonlinSolvConvFails)
#define CVodeInit                      (*hn_sundials.CVodeInit)
#define CVodeReInit                    (*hn_sundials.CVodeReInit)
#define CVodeSetErrHandlerFn           (*hn_sundials.CVodeSetErrHandlerFn)
#define CVodeSetInitStep               (*hn_sundials.CVodeSetInitStep)
#define CVodeSetLinSysFn               (*hn_sundials.CVodeSetLinSysFn)
#define CVodeSetLinearSolutionScaling  (*hn_sundials.CVodeSetLinearSolutionScaling)
#define CVodeSetLinearSolver           (*hn_sundials.CVodeSetLinearSolver)
#define CVodeSetMaxHnilWarns           (*hn_sundials.CVodeSetMaxHnilWarns)
#define CVodeSetMaxOrd                 (*hn_sundials.CVodeSetMaxOrd)
#define CVodeSetMaxStep                (*hn_sundials.CVodeSetMaxStep)
#define CVodeSetProjErrEst             (*hn_sundials.CVodeSetProjErrEst)
#define CVodeSetProjFn                 (*hn_sundials.CVodeSetProjFn)
#define CVodeSetUserData               (*hn_sundials.CVodeSetUserData)
#define CVodeWFtolerances              (*hn_sundials.CVodeWFtolerances)
#define IDACreate                      (*hn_sundials.IDACreate)
#define IDAFree                        (*hn_sundials.IDAFree)
#define IDAGetCurrentCj                (*hn_sundials.IDAGetCurrentCj)
#define IDAGetCurrentStep              (*hn_sundials.IDAGetCurrentStep)
#define IDAGetDky                      (*hn_sundials.IDAGetDky)
#define IDAGetNumErrTestFails          (*hn_sundials.IDAGetNumErrTestFails)
#define IDAGetNumNonlinSolvConvFails   (*hn_sundials.IDAGetNumNonlinSolvConvFails)
#define IDAInit                        (*hn_sundials.IDAInit)
#define IDAReInit                      (*hn_sundials.IDAReInit)
#define IDASetErrHandlerFn             (*hn_sundials.IDASetErrHandlerFn)
#define IDASetId                       (*hn_sundials.IDASetId)
#define IDASetInitStep                 (*hn_sundials.IDASetInitStep)
#define IDASetJacFn                    (*hn_sundials.IDASetJacFn)
#define IDASetLinearSolutionScaling    (*hn_sundials.IDASetLinearSolutionScaling)
#define IDASetLinearSolver             (*hn_sundials.IDASetLinearSolver)
#define IDASetMaxNonlinIters           (*hn_sundials.IDASetMaxNonlinIters)
#define IDASetMaxOrd                   (*hn_sundials.IDASetMaxOrd)
#define IDASetMaxStep                  (*hn_sundials.IDASetMaxStep)
#define IDASetNonlinConvCoef           (*hn_sundials.IDASetNonlinConvCoef)
#define IDASetSuppressAlg              (*hn_sundials.IDASetSuppressAlg)
#define IDASetUserData                 (*hn_sundials.IDASetUserData)
#define IDASolve                       (*hn_sundials.IDASolve)
#define IDAWFtolerances                (*hn_sundials.IDAWFtolerances)
#define N_VClone_Serial                (*hn_sundials.N_VClone_Serial)
#define N_VDestroy_Serial              (*hn_sundials.N_VDestroy_Serial)
#define N_VGetArrayPointer             (*hn_sundials.N_VGetArrayPointer)
#define N_VMake_Serial                 (*hn_sundials.N_VMake_Serial)
#define N_VNew_Serial                  (*hn_sundials.N_VNew_Serial)
#define SUNContext_Create              (*hn_sundials.SUNContext_Create)
#define SUNContext_Free                (*hn_sundials.SUNContext_Free)
#define SUNLinSolFreeEmpty             (*hn_sundials.SUNLinSolFreeEmpty)
#define SUNLinSolNewEmpty              (*hn_sundials.SUNLinSolNewEmpty)
#define SUNMatFreeEmpty                (*hn_sundials.SUNMatFreeEmpty)
#define SUNMatNewEmpty                 (*hn_sundials.SUNMatNewEmpty)
#endif

#endif

#endif
