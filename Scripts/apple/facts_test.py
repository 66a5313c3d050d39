"""Rules of the comparison with the facts, on a few lines in their form."""
import unittest

from . import facts_declared, facts_known, facts_types
from .facts_types import ours, theirs

RUST = '''
extern_class!(
    #[unsafe(super(NSObject))]
    #[thread_kind = MainThreadOnly]
    pub struct Panel;
);
extern_conformance!(
    unsafe impl NSSecureCoding for Panel {}
);
impl Panel {
    extern_methods!(
        #[unsafe(method(title))]
        pub unsafe fn title(&self) -> Option<Retained<NSString>>;

        #[unsafe(method(open:completion:))]
        pub unsafe fn open_completion(
            &self,
            url: &NSURL,
            completion: &block2::SendableBlock<'static, fn(*mut NSError)>,
        );

        // +new (unavailable)

    );
}
// NS_ENUM
#[repr(transparent)]
pub struct Mode(pub NSInteger);
impl Mode {
    #[doc(alias = "ModeSlow")]
    pub const Slow: Self = Self(1<<2);
}
'''


class Reader(facts_known.Facts):
    def __init__(self, text):
        self.classes, self.protocols, self.methods, self.unavailable = {}, {}, {}, {}
        self.enums, self.values, self.constants, self.functions, self.fields = {}, {}, {}, {}, {}
        self.conforms, self.sendable, self.aliases = {}, set(), {}
        self.read(text)


class FactsTest(unittest.TestCase):
    def setUp(self):
        self.facts = Reader(RUST)

    def test_a_class_is_read(self):
        self.assertEqual(self.facts.classes["Panel"], dict(above=["NSObject"], main=True, deprecated=False))
        self.assertEqual(self.facts.conforms["Panel"], {"NSSecureCoding"})
        self.assertEqual(self.facts.unavailable["Panel"], {"+new"})

    def test_a_value_is_read(self):
        self.assertEqual(facts_types.value(self.facts.values["ModeSlow"]["value"]), 4)
        self.assertIsNone(facts_types.value("Self::Other.0"))

    def test_nullability_is_compared(self):
        known = theirs(self.facts.method("Panel", "-title")["returns"], self.facts)
        self.assertEqual(ours("NSString * _Nullable"), known)
        self.assertNotEqual(ours("NSString * _Nonnull"), known)

    def test_a_block_is_compared(self):
        known = theirs(self.facts.method("Panel", "-open:completion:")["parameters"][1], self.facts)
        sendable = '__attribute__((swift_attr("@Sendable"))) '
        self.assertEqual(ours(sendable + "void (^ _Nonnull)(NSError * _Nullable)"), known)
        self.assertNotEqual(ours("void (^ _Nonnull)(NSError * _Nullable)"), known)
        self.assertNotEqual(ours(sendable + "void (^ _Nonnull)(NSError * _Nonnull)"), known)

    def test_elements_are_compared(self):
        known = theirs("Retained<NSArray<NSString>>", self.facts)
        self.assertEqual(ours("NSArray<NSString *> * _Nonnull"), known)
        self.assertNotEqual(ours("NSArray<NSURL *> * _Nonnull"), known)

    def test_availability_is_read(self):
        words = "__attribute__((availability(macos,introduced=12.3))) __attribute__((availability(visionos,unavailable)))"
        self.assertEqual(facts_declared.availability(words), {"macos": ((12, 3), None), "visionos": None})

    def test_versions_are_read(self):
        said = facts_known.Versions.said("[iOS (15, 4), NoMac]")
        self.assertEqual(said, {"ios": (15, 4), "macos": None})


if __name__ == "__main__":
    unittest.main()
