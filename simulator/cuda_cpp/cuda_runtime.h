// A stand-in: cuda_cpu.h is included first and has it all.
#pragma once
#include "cuda_cpu.h"
