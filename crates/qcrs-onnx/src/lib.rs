//! Engines that run ONNX models.
