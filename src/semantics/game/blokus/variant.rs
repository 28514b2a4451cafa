//! The variants of Blokus.
//!
//! Owns the names that GM has, and the numbers of players and colors. Refuses to know boards.

macro_rules! variants {
    ($($variant:ident $name:literal $players:literal $colors:literal)*) => {
        /// A variant of Blokus or a relative of it, as Pentobi's GM names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Variant {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Variant {
            /// All of them, in the order of Pentobi's document.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name that GM has.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The number of players, 2 to 4.
            pub const fn players(self) -> u8 {
                match self {
                    $(Self::$variant => $players,)*
                }
            }

            /// The number of colors, 2 to 4.
            pub const fn colors(self) -> u8 {
                match self {
                    $(Self::$variant => $colors,)*
                }
            }
        }
    };
}

variants! {
    Classic "Blokus" 4 4
    ClassicTwoPlayer "Blokus Two-Player" 2 4
    ClassicThreePlayer "Blokus Three-Player" 3 4
    Duo "Blokus Duo" 2 2
    Trigon "Blokus Trigon" 4 4
    TrigonTwoPlayer "Blokus Trigon Two-Player" 2 4
    TrigonThreePlayer "Blokus Trigon Three-Player" 3 3
    Junior "Blokus Junior" 2 2
    Nexos "Nexos" 4 4
    NexosTwoPlayer "Nexos Two-Player" 2 4
    Callisto "Callisto" 4 4
    CallistoTwoPlayer "Callisto Two-Player" 2 2
    CallistoTwoPlayerFourColor "Callisto Two-Player Four-Color" 2 4
    CallistoThreePlayer "Callisto Three-Player" 3 3
    GembloQ "GembloQ" 4 4
    GembloQTwoPlayer "GembloQ Two-Player" 2 2
    GembloQThreePlayer "GembloQ Three-Player" 3 3
    GembloQTwoPlayerFourColor "GembloQ Two-Player Four-Color" 2 4
}
