#pragma once

#include <atomic>

//@ class_u_t___interrupt
class UT_Interrupt {
 public:
  // Test double only: asks every cook to stop, and tells what cooks said.
  std::atomic<bool> stop{false};
  std::atomic<int> polls{0}, opened{0}, closed{0}, lastPercent{-1};
};

//@ _u_t___interrupt_8h
UT_Interrupt* UTgetInterrupt();

//@ class_u_t___auto_interrupt
class UT_AutoInterrupt {
 public:
  //@ class_u_t___auto_interrupt
  UT_AutoInterrupt(const char* operation_name, UT_Interrupt* boss = UTgetInterrupt());
  ~UT_AutoInterrupt();
  //@ class_u_t___auto_interrupt; whether any thread may call it is not documented; OpenVDB's own nodes do
  bool wasInterrupted(int percent = -1) const;

 private:
  UT_Interrupt* mBoss;
};
