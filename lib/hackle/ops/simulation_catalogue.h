// Operators of simulations; they are not there in Houdini, which simulates by itself.
#pragma once

#include <hackle/ops/operator.h>

namespace hackle {

Operator flipbookOperator();
Operator simOperator();

}  // namespace hackle
