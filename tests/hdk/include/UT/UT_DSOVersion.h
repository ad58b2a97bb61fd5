// Houdini's own header makes the file that includes it a plug-in and gives newSopOperator its linkage.
#pragma once

class OP_OperatorTable;

//@ _h_d_k__op_basics__overview__registration; declared by UT_DSOVersion.h with the linkage that Houdini looks
// for
extern "C" __attribute__((visibility("default"))) void newSopOperator(OP_OperatorTable* table);
//@ _h_d_k__data_flow__d_o_ps; declared by UT_DSOVersion.h likewise
extern "C" __attribute__((visibility("default"))) void initializeSIM(void*);
