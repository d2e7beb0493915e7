//! Images per second on one thread.
use qcrs::sample::Classifier;
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let shape: Vec<usize> = arguments[2].split('x').map(|side| side.parse().unwrap()).collect();
    let model = std::fs::read(&arguments[1]).unwrap();
    for instructions in qcrs_cnn::Instructions::here().into_iter().take(2) {
        let cnn = qcrs_cnn::Cnn::read(&model, &[], [shape[0], shape[1], shape[2]], instructions).unwrap();
        let batch: Vec<f32> = (0..32 * cnn.input_len()).map(|i| (i % 255) as f32 / 255.0).collect();
        let mut out = vec![0.0; 32 * cnn.num_classes()];
        cnn.logits(&batch, &mut out).unwrap();
        let mut rates = Vec::new();
        for _ in 0..9 {
            let start = std::time::Instant::now();
            let mut images = 0;
            while start.elapsed().as_secs_f64() < 0.5 {
                cnn.logits(&batch, &mut out).unwrap();
                images += 32;
            }
            rates.push(images as f64 / start.elapsed().as_secs_f64());
        }
        rates.sort_by(f64::total_cmp);
        println!("{}: median {:.0} best {:.0} images/s", cnn.instructions().name(), rates[4], rates[8]);
    }
}
