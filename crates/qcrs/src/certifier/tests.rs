use super::*;
use crate::method::{Plan, Scout};
use crate::sample::from_fn;
use crate::types::Alpha;
use std::sync::Mutex;
use std::thread;

fn sigma(value: f64) -> Sigma {
    Sigma::new(value).unwrap()
}

/// The brighter of two pixels wins; the border is the diagonal.
fn brighter() -> impl Classifier + Send + 'static {
    from_fn(2, 2, |batch: &[f32], out: &mut [f32]| {
        out.copy_from_slice(batch);
        Ok(())
    })
}

fn small() -> Budget {
    Budget::new(50, 5000, Alpha::new(0.001).unwrap()).unwrap()
}

#[test]
fn it_gives_what_certify_gives() {
    let (x, budget) = ([0.2, 0.8], small());
    let method = Method::qcrs(sigma(0.25)).unwrap();
    let direct = {
        let classifier = brighter();
        let sampler = MonteCarlo::new(&classifier, 7);
        certify(&method, &budget, &sampler, &Input { pixels: &x, seed: 3, index: 0 }).unwrap()
    };
    let certifier = Certifier::new(brighter(), method).budget(budget).threads(2);
    let certificate = certifier.certify(&x, Seed::chosen(3)).unwrap();
    assert_eq!((&certificate.outcome, certificate.guarantee), (&direct, Guarantee::FrozenSigma));
    // the distance to the diagonal is 0.6/√2
    let radius = certificate.radius().unwrap();
    assert!(certificate.class() == Some(1) && (0.2..0.4243).contains(&radius), "{certificate}");
    assert_eq!(certificate.to_string(), format!("class 1 within {radius}"));
}

#[test]
fn watching_changes_nothing_and_sees_every_pass() {
    let seen: Arc<Mutex<Vec<(Phase, u64, u64)>>> = Arc::default();
    let log = Arc::clone(&seen);
    let certifier = Certifier::new(brighter(), Method::probe(sigma(0.25)).unwrap()).budget(small()).batch(16);
    let plain = certifier.certify(&[0.2, 0.8], Seed::chosen(3)).unwrap();
    let watched = certifier.clone().on_progress(move |progress| {
        log.lock().unwrap().push((progress.phase, progress.passes, progress.most.unwrap()));
    });
    assert_eq!(watched.certify(&[0.2, 0.8], Seed::chosen(3)).unwrap(), plain);
    let seen = seen.lock().unwrap();
    let (_, passes, most) = *seen.last().unwrap();
    assert_eq!(passes, plain.outcome.passes());
    assert!(passes <= most && seen.len() > 10, "{seen:?}");
    let count = |phase| seen.iter().filter(|(at, ..)| *at == phase).count();
    assert!(count(Phase::Search) > 3 && count(Phase::Estimate) > 1, "{seen:?}");
}

/// A service keeps one certifier; each request has a clone, which can be cancelled by itself.
#[test]
fn a_request_is_cancelled_by_itself() {
    let certifier = Certifier::new(brighter(), Method::cohen(sigma(0.25))).budget(small());
    let stop = Arc::new(AtomicBool::new(false));
    let cancel = Arc::clone(&stop);
    let cancelled = certifier.clone().batch(1).until(stop).on_progress(move |_| cancel.store(true, Relaxed));
    let error =
        thread::spawn(move || cancelled.certify(&[0.2, 0.8], Seed::chosen(3)).unwrap_err()).join().unwrap();
    assert!(matches!(error, Error::Interrupted), "{error}");
    assert!(certifier.certify(&[0.2, 0.8], Seed::chosen(3)).is_ok());
}

#[test]
fn predict_answers_for_one_sigma_only() {
    let cohen = Certifier::new(brighter(), Method::cohen(sigma(0.25))).budget(small());
    assert_eq!(cohen.predict(&[0.2, 0.8], Seed::chosen(3)).unwrap().class, Some(1));
    assert_eq!(cohen.guarantee(), Guarantee::FixedSigma);
    let majority = cohen.predict_majority(&[0.2, 0.8], Seed::chosen(3)).unwrap();
    assert!(majority.class == Some(1) && majority.p_lower > 0.9, "{majority:?}");
    assert_eq!(cohen.predict_majority(&[0.4, 0.4], Seed::chosen(3)).unwrap().class, None);
    let qcrs = Certifier::new(brighter(), Method::qcrs(sigma(0.25)).unwrap()).budget(small());
    let error = qcrs.predict_majority(&[0.2, 0.8], Seed::chosen(3)).unwrap_err().to_string();
    assert!(error.contains("one sigma"), "{error}");
    assert!(qcrs.predict(&[0.2, 0.8], Seed::chosen(3)).unwrap_err().to_string().contains("one sigma"));
}

#[test]
fn what_would_mean_nothing_is_refused() {
    let certifier = Certifier::new(brighter(), Method::cohen(sigma(0.25))).budget(small());
    for (x, words) in [
        (&[0.2, 2.6][..], "value 1 of the input is 2.6; give pixels in [0, 1]"),
        (&[0.2, f32::NAN], "value 1 of the input is NaN"),
        (&[0.2, 0.8, 0.3], "the image has 3 values, the classifier takes 2"),
    ] {
        let error = certifier.certify(x, Seed::chosen(3)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    // scores that depend on the other images of the batch
    let mixing = from_fn(2, 2, |batch: &[f32], out: &mut [f32]| {
        let mean = batch.iter().sum::<f32>() / batch.len() as f32;
        out.iter_mut().zip(batch).for_each(|(out, x)| *out = x - mean * x);
        Ok(())
    });
    let error = Certifier::new(mixing, Method::cohen(sigma(0.25))).certify(&[0.2, 0.8], Seed::chosen(3));
    assert!(error.unwrap_err().to_string().contains("mixes"));
    // a method that does not answer this question
    let asked = small().asking_about(0.1).unwrap();
    let error = Certifier::new(brighter(), Method::probe(sigma(0.25)).unwrap()).budget(asked);
    let error = error.certify(&[0.2, 0.8], Seed::chosen(3)).unwrap_err().to_string();
    assert!(error.starts_with("at_radius: probe plans its draws"), "{error}");
}

#[test]
fn settings_make_the_same_certifier() {
    let settings =
        Settings::new().with("method", "cohen").with("sigma", 0.25).with("n0", 50).with("n", "5,000");
    let by_settings = Certifier::from_settings(brighter(), &settings).unwrap();
    let by_hand = Certifier::new(brighter(), Method::cohen(sigma(0.25))).budget(small());
    let [one, other] = [by_settings, by_hand].map(|it| it.certify(&[0.2, 0.8], Seed::chosen(3)).unwrap());
    assert_eq!(one, other);
}

/// Asks the second classifier, which is never sure unless the pixels differ by much.
struct Second;

impl PlanCertificate for Second {
    fn plan(&self, _: &mut Scout<'_>) -> Result<Plan, Error> {
        Ok(Plan::certify(Smoothed { model: 1, ..Smoothed::gaussian(sigma(0.25)) }).into())
    }
}

#[test]
fn several_classifiers_are_asked_by_number_and_may_reject() {
    let both = Certifier::planned_by(brighter(), Second).and(brighter()).confident(0.6).budget(small());
    let certificate = both.certify(&[0.1, 0.9], Seed::chosen(3)).unwrap();
    assert_eq!(certificate.guarantee, Guarantee::FrozenSigma);
    let estimate = &certificate.outcome.estimates[0];
    assert_eq!((estimate.smoothed.model, estimate.votes.total()), (1, 5000));
    assert!(estimate.votes.rejected() > 100, "{:?}", estimate.votes);
    let error = Certifier::planned_by(brighter(), Second).certify(&[0.1, 0.9], Seed::chosen(3)).unwrap_err();
    assert!(error.to_string().contains("there is no classifier 1"), "{error}");
}

/// Each σ is asked of the network that was told the nearest.
#[test]
fn networks_that_were_told_their_sigma_are_asked_by_it() {
    let settings = Settings::new().with("method", "grid").with("sigma", 0.25).with("n", 1000);
    let told = Certifier::from_settings(brighter(), &settings).unwrap().told(sigma(0.5));
    let told = told.and(brighter()).told(sigma(0.1));
    let outcome = told.certify(&[0.2, 0.8], Seed::chosen(3)).unwrap().outcome;
    let border = (0.5_f64 * 0.1).sqrt();
    let certified = outcome.estimates.iter().map(|estimate| estimate.smoothed);
    let mut counts = [0, 0];
    for g in outcome.looks.iter().map(|look| look.smoothed).chain(certified) {
        assert_eq!(g.model, u32::from(g.sigma().get() < border), "{g:?}");
        counts[g.model as usize] += 1;
    }
    assert!(counts.iter().all(|count| *count > 3), "{counts:?}");
    let half = Certifier::new(brighter(), Method::cohen(sigma(0.25))).told(sigma(0.5)).and(brighter());
    assert!(half.certify(&[0.2, 0.8], Seed::chosen(3)).is_err());
}

#[test]
fn noise_is_on_the_lattice_unless_another_is_asked_for() {
    let of = |method| Certifier::new(brighter(), method).budget(small()).threads(1);
    let cohen = of(Method::cohen(sigma(0.25)));
    let certificate = cohen.certify(&[0.2, 0.8], Seed::chosen(3)).unwrap();
    assert_eq!(certificate.rounding, Rounding::Covered(Lattice::Bytes));
    for answer in [
        cohen.certify(&[0.2, 0.9], Seed::chosen(3)).map(drop),
        cohen.predict(&[0.9, 0.2], Seed::chosen(3)).map(drop),
    ] {
        let error = answer.unwrap_err().to_string();
        assert!(error.contains("is 0.9, which is not a whole number of steps of 1/255"), "{error}");
    }
    let float = cohen.under(NoiseKind::Float);
    assert_eq!(float.certify(&[0.2, 0.9], Seed::chosen(3)).unwrap().rounding, Rounding::NotInFloats);
    // scores with a last bit that depends on the place in the batch
    let unsteady = from_fn(2, 2, |batch: &[f32], out: &mut [f32]| {
        for (at, (x, score)) in batch.iter().zip(out).enumerate() {
            *score = x * (1.0 + f32::EPSILON * (at / 2 % 2) as f32);
        }
        Ok(())
    });
    let unsteady = Certifier::new(unsteady, Method::cohen(sigma(0.25))).budget(small());
    assert_eq!(unsteady.certify(&[0.2, 0.8], Seed::chosen(3)).unwrap().rounding, Rounding::NotInBatches);
}
