#pragma once

#include <OP/OP_Operator.h>

#include <memory>
#include <stdexcept>

//@ class_o_p___operator_table
class OP_OperatorTable {
 public:
  //@ class_o_p___operator_table
  bool addOperator(OP_Operator* op) {
    items.emplace_back(op);
    if (full) throw std::length_error("the table is full");
    return true;
  }
  // Test double only.
  bool full = false;
  std::vector<std::unique_ptr<OP_Operator>> items;
  OP_Operator* find(const std::string& name) const;
};
