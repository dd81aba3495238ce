"""From text to ids, to vectors, to two dimensions."""

from .byte_pairs import BytePairs
from .projection import Projection
from .vocabulary import Vocabulary, words_of
from .word_vectors import WordVectors, WordVectorsError, load_word_vectors
