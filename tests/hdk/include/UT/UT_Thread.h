#pragma once

//@ class_u_t___thread
class UT_Thread {
 public:
  //@ class_u_t___thread; follows HOUDINI_MAXTHREADS
  static int getNumProcessors();
};
