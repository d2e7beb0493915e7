//! Does it learn, does it go on where it was, and does it say what is wrong?

mod common;

use common::{bars, curve, settings, training};
use qcrs_train::Error;
use qcrs_train::images::Images;
use qcrs_train::network::TrainingPrecision;
use qcrs_train::recipe::{TrainingMethod, TrainingSettings, macer};
use qcrs_train::train::{CHECKPOINT, Event, LOG, SPEC};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

fn run(images: &Images, folder: &Path, settings: TrainingSettings) -> Result<Vec<f32>, Error> {
    let network = training(images, folder, settings).run(&mut |_| ControlFlow::Continue(()))?;
    Ok(network.values("fc.weight"))
}

#[test]
fn a_network_learns_bars_under_noise() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    run(&images, &folder.path().join("run"), TrainingSettings { epochs: 8, ..settings() }).unwrap();
    let last = curve(&folder.path().join("run")).pop().unwrap();
    assert_eq!((last.epoch, last.held_out_noisy.of), (8, 20));
    assert!(last.held_out_noisy.correct >= 18, "{last:?}");
}

#[test]
fn macer_learns_bars_too() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    let method = TrainingMethod::Macer(macer::Macer { k: 3, lambda: 4.0, gamma: 8.0, beta: 16.0 });
    run(&images, &folder.path().join("run"), TrainingSettings { epochs: 8, method, ..settings() }).unwrap();
    let last = curve(&folder.path().join("run")).pop().unwrap();
    assert!(last.held_out_noisy.correct >= 18, "{last:?}");
}

#[test]
fn bf16_learns_bars_too() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    let settings = TrainingSettings { epochs: 8, precision: TrainingPrecision::Bf16, ..settings() };
    run(&images, &folder.path().join("run"), settings).unwrap();
    let last = curve(&folder.path().join("run")).pop().unwrap();
    assert!(last.held_out_noisy.correct >= 18, "{last:?}");
}

/// A panic in the middle of a step: like kill -9, nothing is saved that was not saved before.
#[test]
fn a_killed_training_continues_the_same_curve() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    let whole = folder.path().join("whole");
    let weights = run(&images, &whole, settings()).unwrap();

    // 5 steps per epoch: killed in the second step of epoch 2, then in the last of epoch 3
    let broken = folder.path().join("broken");
    for kill in [7, 15] {
        let mut training = training(&images, &broken, settings());
        training.save_every = if kill == 15 { Duration::ZERO } else { training.save_every };
        let killed = catch_unwind(AssertUnwindSafe(|| {
            training.run(&mut |event| match event {
                Event::Step { step, .. } if *step == kill => panic!("killed"),
                _ => ControlFlow::Continue(()),
            })
        }));
        assert!(killed.is_err());
    }
    // the second run saved every step: only the last one is left
    let mut resumed = None;
    let network = training(&images, &broken, settings())
        .run(&mut |event| {
            if let Event::Resumed { step, of, .. } = event {
                resumed = Some((*step, *of));
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(resumed, Some((14, 15)));
    assert_eq!(network.values("fc.weight"), weights);
    assert_eq!(curve(&broken), curve(&whole));
}

/// Weights are worth more than their diary.
#[test]
fn a_training_goes_on_without_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    let weights = run(&images, &whole, settings()).unwrap();
    let stopped = training(&images, &broken, settings()).run(&mut |event| match event {
        Event::Epoch(epoch) if epoch.epoch == 2 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(matches!(stopped, Err(Error::Interrupted)));
    std::fs::remove_file(broken.join(LOG)).unwrap();
    let mut untold = None;
    let network = training(&images, &broken, settings())
        .run(&mut |event| {
            if let Event::Resumed { missing, .. } = event {
                untold = Some(*missing);
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((untold, network.values("fc.weight")), (Some(2), weights));
    assert_eq!(curve(&broken), curve(&whole)[2..]);
}

#[test]
fn nobody_trains_where_another_does() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    let dir = folder.path().join("run");
    let mut second = None;
    training(&images, &dir, settings())
        .run(&mut |_| {
            second.get_or_insert_with(|| run(&images, &dir, settings()));
            ControlFlow::Continue(())
        })
        .unwrap();
    let error = second.unwrap().unwrap_err().to_string();
    assert!(error.contains("run: another qcrs-train is training here"), "{error}");
    assert!(run(&images, &dir, settings()).is_ok());
}

#[test]
fn a_finished_training_is_not_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    let weights = run(&images, &folder.path().join("run"), settings()).unwrap();
    let mut steps = 0;
    let network = training(&images, &folder.path().join("run"), settings())
        .run(&mut |event| {
            steps += usize::from(matches!(event, Event::Step { .. }));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((steps, network.values("fc.weight")), (0, weights));
}

#[test]
fn a_loss_that_is_no_number_stops_and_keeps_the_last_good_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    let run = folder.path().join("run");
    // epoch 1 at a sane rate, saved and stopped; then the spec is edited to an absurd one
    let stopped = training(&images, &run, settings()).run(&mut |event| match event {
        Event::Epoch(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(matches!(stopped, Err(Error::Interrupted)));
    let good = std::fs::read(run.join(CHECKPOINT)).unwrap();
    std::fs::remove_file(run.join(SPEC)).unwrap();
    let wild = TrainingSettings { learning_rate: 1e30, ..settings() };
    let error =
        training(&images, &run, wild).run(&mut |_| ControlFlow::Continue(())).err().unwrap().to_string();
    assert!(error.contains("in epoch 2") && error.contains("the last good checkpoint is kept"), "{error}");
    assert_eq!(std::fs::read(run.join(CHECKPOINT)).unwrap(), good);
}

/// One step per epoch: its loss is a number, what it does to the weights is not.
#[test]
fn weights_that_are_no_numbers_are_not_saved() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    let wild = TrainingSettings { batch: 100, learning_rate: 1e300, ..settings() };
    let error = run(&images, &folder.path().join("run"), wild).unwrap_err().to_string();
    assert!(error.contains("a weight became NaN or infinite in epoch 1, step 1"), "{error}");
    assert!(!folder.path().join("run").join(CHECKPOINT).exists());
    assert_eq!(curve(&folder.path().join("run")), []);
}

#[test]
fn bad_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    let cases: [(&str, TrainingSettings); 6] = [
        ("sigma must be finite and not negative, got -1", TrainingSettings { sigma: -1.0, ..settings() }),
        (
            "a batch of 101 is larger than the 100 images to train on",
            TrainingSettings { batch: 101, ..settings() },
        ),
        ("epochs and batch must be at least 1, got 0 and 20", TrainingSettings { epochs: 0, ..settings() }),
        (
            "the learning rate must be finite and positive",
            TrainingSettings { learning_rate: f64::NAN, ..settings() },
        ),
        ("MACER needs noise", TrainingSettings { sigma: 0.0, ..macer::short(settings().architecture, 0.25) }),
        (
            "the network takes 3×32×32",
            TrainingSettings { architecture: "resnet8".parse().unwrap(), ..settings() },
        ),
    ];
    for (expected, settings) in cases {
        let settings = TrainingSettings { held_out: 20, batch: settings.batch.min(101), ..settings };
        let error = run(&images, &folder.path().join("run"), settings).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        let _ = std::fs::remove_dir_all(folder.path().join("run"));
    }
}

#[test]
fn another_spec_or_a_foreign_checkpoint_in_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let images = bars(folder.path());
    let dir = folder.path().join("run");
    run(&images, &dir, settings()).unwrap();
    let error = run(&images, &dir, TrainingSettings { seed: 6, ..settings() }).unwrap_err().to_string();
    assert!(error.contains("has settings.seed 5, you asked for 6"), "{error}");

    let bytes = std::fs::read(dir.join(CHECKPOINT)).unwrap();
    std::fs::write(dir.join(CHECKPOINT), &bytes[..bytes.len() / 2]).unwrap();
    let error = run(&images, &dir, settings()).unwrap_err().to_string();
    assert!(error.contains("the checkpoint is damaged"), "{error}");
}
