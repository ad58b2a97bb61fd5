#pragma once

//@ _u_t___error_8h
enum UT_ErrorSeverity {
  UT_ERROR_NONE = 0,
  UT_ERROR_MESSAGE,
  UT_ERROR_PROMPT,
  //@ _u_t___error_8h
  UT_ERROR_WARNING,
  //@ _u_t___error_8h
  UT_ERROR_ABORT,
  UT_ERROR_FATAL
};
