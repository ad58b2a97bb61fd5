#pragma once

//@ _s_o_p___error_8h
enum SOP_ErrorCodes {
  //@ _s_o_p___error_8h
  SOP_MESSAGE = 1
};
