#pragma once

#include <atomic>
#include <string>
#include <thread>

//@ class_u_t___interrupt
class UT_Interrupt {
 public:
  // Test double only: asks every cook to stop, and tells what cooks said.
  std::atomic<bool> stop{false};
  std::atomic<int> polls{0}, opened{0}, closed{0}, lastPercent{-1};
  std::atomic<int> foreignPolls{0};  // from threads that did not open the operation
  std::string lastName;              // of the operation that closed last
};

//@ _u_t___interrupt_8h
UT_Interrupt* UTgetInterrupt();

//@ class_u_t___auto_interrupt
class UT_AutoInterrupt {
 public:
  //@ class_u_t___auto_interrupt
  UT_AutoInterrupt(const char* operation_name, UT_Interrupt* boss = UTgetInterrupt());
  ~UT_AutoInterrupt();
  UT_AutoInterrupt(const UT_AutoInterrupt&) = delete;
  //@ class_u_t___auto_interrupt; whether any thread may call it is not documented: only the cooking one does
  bool wasInterrupted(int percent);

 private:
  UT_Interrupt* mBoss;
  const char* mName;  // the double keeps the pointer, as Houdini may
  std::thread::id mThread;
};
