// Where Houdini comes in: the one file of the plug-in that tells its version.
#include <dop/GAS_HackleFracture.h>
#include <hackle/ops/registry.h>
#include <sop/SOP_Hackle.h>

#include <OP/OP_OperatorTable.h>
#include <UT/UT_DSOVersion.h>

#include <cstdio>
#include <exception>

using namespace hackle;

void initializeSIM(void*) { IMPLEMENT_DATAFACTORY(GAS_HackleFracture); }

void newSopOperator(OP_OperatorTable* table) {
  // Houdini calls this through a C interface, which no exception may cross: a node type that cannot be made
  // is missing, with a word on the console.
  try {
    for (const Operator& op : nodeOperators()) try {
        SOP_Hackle::registerNode(op, *table);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "Hackle: the node %s cannot be made: %s\n", op.id.c_str(), e.what());
      }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "Hackle: no nodes can be made: %s\n", e.what());
  }
}
