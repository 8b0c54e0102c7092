// Package main is a Go library of somebody else in the same process: an addon in one file, without any of our guards.
package main

/*
#include <node_api.h>

extern double secondSum(double n);

static napi_value sum(napi_env env, napi_callback_info info) {
	size_t n = 1;
	napi_value argument, result;
	double value = 0;
	napi_get_cb_info(env, info, &n, &argument, NULL, NULL);
	napi_get_value_double(env, argument, &value);
	napi_create_double(env, secondSum(value), &result);
	return result;
}

static inline napi_value secondInit(napi_env env, napi_value exports) {
	napi_value function;
	napi_create_function(env, "sum", NAPI_AUTO_LENGTH, sum, NULL, &function);
	napi_set_named_property(env, exports, "sum", function);
	return exports;
}
*/
import "C"

import "runtime"

func main() {}

//export secondSum
func secondSum(n C.double) C.double {
	parts := make(chan float64)
	for part := range 4 {
		go func() {
			total := 0.0
			for i := part; i < int(n); i += 4 {
				total += float64(i)
			}
			parts <- total
		}()
	}
	total := 0.0
	for range 4 {
		total += <-parts
	}
	runtime.GC()
	return C.double(total)
}

//export napi_register_module_v1
func napi_register_module_v1(env C.napi_env, exports C.napi_value) C.napi_value {
	return C.secondInit(env, exports)
}
