//! Does a model beside its data bring all that it needs, and leave the process alone?

use qcrs::noise::NoiseChoice;
use qcrs_terminal::settings::{DataSettings, ModelSettings};
use qcrs_terminal::setup::Setup;
use std::path::Path;

fn open(threads: usize) -> Setup {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../qcrs-cli/demo");
    let mut model = ModelSettings::new(demo.join("fashion-mnist-cnn-0.25.onnx"));
    model.options.threads = threads;
    Setup::open(model, DataSettings::new(demo.join("t10k-images-idx3-ubyte")), NoiseChoice::default())
        .unwrap()
}

#[test]
fn each_model_has_as_many_threads_as_were_asked_for() {
    let setups = [open(1), open(3)];
    assert_eq!(setups.map(|setup| setup.pool.current_num_threads()), [1, 3]);
}
