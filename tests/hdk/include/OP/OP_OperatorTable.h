#pragma once

#include <OP/OP_Operator.h>

#include <memory>

//@ class_o_p___operator_table
class OP_OperatorTable {
 public:
  //@ class_o_p___operator_table
  bool addOperator(OP_Operator* op) { return items.emplace_back(op), true; }
  // Test double only.
  std::vector<std::unique_ptr<OP_Operator>> items;
  OP_Operator* find(const std::string& name) const;
};
