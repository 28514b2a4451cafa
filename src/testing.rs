//! What the unit tests share. Any module may use it.

#[path = "../tests/support/rng.rs"]
mod rng;

pub(crate) use rng::Rng;

/// All sequences of `N` of these items.
pub(crate) fn sequences<T: Copy, const N: usize>(items: &[T]) -> impl Iterator<Item = [T; N]> {
    (0..items.len().pow(N as u32)).map(move |number| {
        let mut rest = number;
        [(); N].map(|()| {
            let item = items[rest % items.len()];
            rest /= items.len();
            item
        })
    })
}
