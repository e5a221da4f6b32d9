#pragma once
// Nothing links libexpat: module LateLoading opens it when a program first needs it.
#include <expat.h>
