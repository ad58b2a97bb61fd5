#pragma once

#include <UT/UT_Error.h>
#include <UT/UT_StringHolder.h>

#include <map>
#include <string>
#include <vector>

class PRM_Template;
class OP_Operator;

//@ _o_p___error_8h
typedef UT_ErrorSeverity OP_ERROR;

//@ class_o_p___context
class OP_Context {
 public:
  explicit OP_Context(fpreal time = 0) : mTime(time) {}
  //@ class_o_p___context
  fpreal getTime() const { return mTime; }

 private:
  fpreal mTime;
};

//@ class_o_p___network
class OP_Network {};

//@ class_o_p___node
class OP_Node {
 public:
  virtual ~OP_Node() = default;
};

//@ _o_p___node_8h
typedef OP_Node* (*OP_Constructor)(OP_Network* net, const char* name, OP_Operator* entry);
