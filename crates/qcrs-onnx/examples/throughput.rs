//! Images per second of each engine: `throughput MODEL CxHxW [rounds]`; medians of interleaved rounds.

use qcrs_onnx::{EngineChoice, LoadOptions, Model, load};
use std::path::Path;
use std::time::{Duration, Instant};

fn rate(model: &Model, threads: usize, batch: usize) -> f64 {
    let (len, classes) = (model.classifier.input_len(), model.classifier.num_classes());
    let start = Instant::now();
    let images: usize = std::thread::scope(|scope| {
        let worker = || {
            let (input, mut scores) = (vec![0.5; batch * len], vec![0.0; batch * classes]);
            let mut images = 0;
            while start.elapsed() < Duration::from_millis(700) {
                model.classifier.logits(&input, &mut scores).expect("ran before");
                images += batch;
            }
            images
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).sum()
    });
    images as f64 / start.elapsed().as_secs_f64()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, shape, ..] = args.as_slice() else {
        return Err("usage: throughput MODEL CxHxW [rounds]".into());
    };
    let shape: Vec<usize> = shape.split('x').map(str::parse).collect::<Result<_, _>>()?;
    let shape = shape.try_into().map_err(|_| "a shape is CxHxW")?;
    let rounds = args.get(2).map_or(Ok(5), |text| text.parse())?;
    let mut cases = Vec::new();
    for engine in [EngineChoice::Cnn, EngineChoice::Rten, EngineChoice::Ort] {
        let model =
            load(Path::new(path), shape, &LoadOptions { engine, threads: 2, ..LoadOptions::default() });
        match model {
            Ok(model) => cases.push(model),
            Err(error) => eprintln!("{error}"),
        }
    }
    let settings: Vec<_> = (0..cases.len())
        .flat_map(|model| [1, 2].into_iter().flat_map(move |t| [8, 16, 32, 64].map(|b| (model, t, b))))
        .collect();
    let mut rates = vec![Vec::new(); settings.len()];
    for _ in 0..rounds {
        for (&(model, threads, batch), rates) in settings.iter().zip(&mut rates) {
            rates.push(rate(&cases[model], threads, batch));
        }
    }
    for ((model, threads, batch), rates) in settings.into_iter().zip(&mut rates) {
        rates.sort_by(f64::total_cmp);
        let (low, median, high) = (rates[0], rates[rates.len() / 2], rates[rates.len() - 1]);
        println!(
            "{:20} threads {threads} batch {batch:3}  {median:7.0} [{low:.0}–{high:.0}]",
            cases[model].engine
        );
    }
    Ok(())
}
