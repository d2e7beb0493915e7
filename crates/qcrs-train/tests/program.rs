//! Does the program keep what it has done when it is stopped, killed or out of room?
#![cfg(target_os = "linux")]

mod common;

use common::place::{BARS, Place, TRAIN, end, send, wait_until};
use qcrs_train::curve::{PAGE, SVG};
use qcrs_train::train::{CHECKPOINT, LOG, SPEC};
use std::fs;

/// Long enough that a signal never comes too late, short enough to wait for.
const EPOCHS: usize = 12;

#[test]
fn an_interrupted_program_says_where_it_stands_and_goes_on() {
    let place = Place::new();
    place.run(&format!("{TRAIN} --out whole --epochs {EPOCHS}")).succeeds(&["model.onnx"]);
    for signal in ["INT", "TERM"] {
        let typed = format!("{TRAIN} --out {signal} --epochs {EPOCHS}");
        let mut program = place.start(&typed);
        place.wait_for_epochs(&mut program, signal, 1);
        send(signal, &program);
        let ran = end(program);
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        let last = ran.err.lines().last().unwrap();
        assert!(last.starts_with("qcrs-train: interrupted after step "), "{last}");
        assert!(
            last.ends_with(&format!(
                " of {}, saved in {signal}; run the same command again to resume",
                5 * EPOCHS
            )),
            "{last}"
        );
        let passed = place.curve(signal).len();
        assert!((1..EPOCHS).contains(&passed), "{passed}");
        for name in [PAGE, SVG] {
            assert!(
                place
                    .read(&format!("{signal}/{name}"))
                    .contains(&format!("unfinished: {passed} of {EPOCHS} epochs"))
            );
        }
        let step = last.split(' ').nth(4).unwrap();
        place.run(&typed).succeeds(&[&format!("resuming after step {step} of {}", 5 * EPOCHS), "model.onnx"]);
        assert_eq!(place.curve(signal), place.curve("whole"));
        assert!(!place.read(&format!("{signal}/{PAGE}")).contains("unfinished"));
    }
}

/// A step of this training takes seconds: it has not ended when the second signal comes.
#[test]
fn a_second_signal_ends_it_at_once() {
    let place = Place::new();
    let mut program = place.start(&format!("macer {BARS} --batch 100 --k 60 --out run --epochs 3"));
    wait_until(&mut program, || place.path("run").join(SPEC).exists());
    send("INT", &program);
    std::thread::sleep(std::time::Duration::from_millis(50));
    send("INT", &program);
    let ran = end(program);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.contains("stopping after this step; press Ctrl-C again to stop at once"), "{}", ran.err);
    assert!(
        ran.err.ends_with("interrupted; run the same command again to resume from the last checkpoint\n"),
        "{}",
        ran.err
    );
    assert!(!place.path("run").join(CHECKPOINT).exists(), "it did not wait for the step");
}

/// As nohup starts it: closing the terminal must not end a training of days, and a scheduler may.
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let place = Place::new();
    let mut program = place.start_ignoring("HUP", &format!("{TRAIN} --out run --epochs {EPOCHS}"));
    place.wait_for_epochs(&mut program, "run", 1);
    send("HUP", &program);
    place.wait_for_epochs(&mut program, "run", 3);
    send("TERM", &program);
    let ran = end(program);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.contains(", saved in run; run the same command again to resume"), "{}", ran.err);
}

#[test]
fn kill_9_changes_nothing_in_the_curve() {
    let place = Place::new();
    let typed = |out: &str| format!("{TRAIN} --out {out} --epochs {EPOCHS}");
    place.run(&typed("whole")).succeeds(&[]);
    // once after an epoch, once more in the middle of the next ones
    for epochs in [1, 4] {
        let mut program = place.start(&typed("killed"));
        place.wait_for_epochs(&mut program, "killed", epochs);
        send("KILL", &program);
        assert_eq!(end(program).code, None);
        assert!(place.curve("killed").len() < EPOCHS);
    }
    place.run(&typed("killed")).succeeds(&["resuming after step"]);
    assert_eq!(place.curve("killed"), place.curve("whole"));
    assert_eq!(place.curve("killed").len(), EPOCHS);
    let weights = |out: &str| fs::read(place.path(out).join("model.onnx")).unwrap();
    assert!(weights("killed") == weights("whole"), "the models differ");
}

#[test]
fn a_full_disk_leaves_the_last_good_checkpoint() {
    let place = Place::new();
    let typed = format!("{TRAIN} --out run --epochs {EPOCHS}");
    let mut program = place.start(&typed);
    place.wait_for_epochs(&mut program, "run", 1);
    send("INT", &program);
    end(program);
    let (good, told) =
        (fs::read(place.path("run").join(CHECKPOINT)).unwrap(), place.read(&format!("run/{LOG}")));

    let ran = place.run_with_small_files(&typed);
    ran.fails(&[
        "training in run stopped",
        "run/checkpoint",
        "File too large",
        "free some disk space",
        "the same command",
    ]);
    assert!(fs::read(place.path("run").join(CHECKPOINT)).unwrap() == good, "the checkpoint has changed");
    assert!(!place.path("run/checkpoint.tmp").exists());
    assert!(place.read(&format!("run/{LOG}")).starts_with(&told));

    place.run(&typed).succeeds(&["resuming"]);
    place.run(&format!("{TRAIN} --out whole --epochs {EPOCHS}")).succeeds(&[]);
    assert_eq!(place.curve("run"), place.curve("whole"));
}
