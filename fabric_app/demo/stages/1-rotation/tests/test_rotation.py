import threading
import unittest

from tokens.rotation import Rejected, Rotation
from tokens.store import TokenStore


class RotationTest(unittest.TestCase):
    def test_a_token_is_exchanged_once(self):
        store = TokenStore()
        first = store.issue("maya")
        second = Rotation(store).refresh(first)
        self.assertNotEqual(first, second)

    def test_a_second_use_revokes_the_family(self):
        store = TokenStore()
        rotation = Rotation(store)
        first = store.issue("maya")
        second = rotation.refresh(first)
        with self.assertRaises(Rejected):
            rotation.refresh(first)
        with self.assertRaises(Rejected):
            rotation.refresh(second)


class RaceTest(unittest.TestCase):
    def test_of_eight_who_ask_at_once_one_gets_the_next_token(self):
        store = TokenStore()
        rotation = Rotation(store, latency=0.02)
        token = store.issue("maya")
        barrier = threading.Barrier(8)
        granted = []

        def ask():
            barrier.wait()
            try:
                granted.append(rotation.refresh(token))
            except Rejected:
                pass

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(granted), 1)


if __name__ == "__main__":
    unittest.main()
