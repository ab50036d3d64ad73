//! iQR codes by commands.

use lendwright::sandbox::Faults;

use super::Scene;

#[test]
fn iqr_codes_from_card_to_reference() {
    let scene = Scene::new(Faults::default());
    let card = "--auth-data-file card.enc --mobile 2348012345678";
    scene.run(&format!("iqr validate --ref R1 {card} --location 3.38 6.52")).json();
    let one = scene.run(&format!("iqr request --ref R2 {card}")).json();
    assert!(one["qrId"].is_string(), "{one}");
    let many = scene.run("iqr bulk --ref R3 --quantity 3").json();
    let unassigned = &many["iqrs"][0];
    let (id, reference) = (unassigned["qrId"].as_str().unwrap(), unassigned["qrRef"].as_str().unwrap());
    scene.run(&format!("iqr link --ref R4 --qr-id {id} --qr-ref {reference} --mobile 2348012345678")).json();
    assert_eq!(scene.run(&format!("iqr reference --ref R5 --qr-id {id} --pan-last-4 4242")).json()["qrRef"], reference);
    let shown = scene.run(&format!("iqr request --ref R2 {card} --dry-run"));
    assert!(!shown.out.contains("ENCRYPTED-CARD") && shown.out.contains("\"aggregatorID\": \"AGG\""), "{}", shown.out);
    assert_eq!(scene.run("iqr bulk --ref R3 --quantity 0").status, 2);
}
