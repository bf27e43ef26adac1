// Takes the place of the theme's script of this name (543 kB gzipped). The theme's CSS draws the same icons from its font.
