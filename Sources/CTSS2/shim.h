#pragma once
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_rc.h>
#include <tss2/tss2_sys.h>
#include <tss2/tss2_tcti.h>

/* A TCTI is a table of functions at the start of its owner's memory: C fixes the order of fields, Swift promises none. */
typedef struct {
    TSS2_TCTI_CONTEXT_COMMON_V2 table;
    void *owner;
} COFFER_TCTI;

/* These macros are sums of casts, which Swift does not import. */
static const TSS2_RC COFFER_TCTI_RC_BAD_REFERENCE = TSS2_TCTI_RC_BAD_REFERENCE;
static const TSS2_RC COFFER_TCTI_RC_BAD_VALUE = TSS2_TCTI_RC_BAD_VALUE;
static const TSS2_RC COFFER_TCTI_RC_INSUFFICIENT_BUFFER = TSS2_TCTI_RC_INSUFFICIENT_BUFFER;
static const TSS2_RC COFFER_TCTI_RC_IO_ERROR = TSS2_TCTI_RC_IO_ERROR;
static const TSS2_RC COFFER_TCTI_RC_NOT_IMPLEMENTED = TSS2_TCTI_RC_NOT_IMPLEMENTED;
