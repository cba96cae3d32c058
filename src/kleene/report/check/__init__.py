"""Reports of `kleene check`.

In reading order:

- `text_and_json`: text for the terminal, JSON for machines
- `page`: one HTML page
- `finding_articles`: a finding on a page
- `film_view`: the run of a finding as a film
- `line_shapes`: the shapes at each line of the source
- `trace`: the run that shows an error
- `shape_words`: shapes in words
- `crowding`: where structures multiplied
- `fesa_words`: FESA states in words
- `refinement_text`: rounds of a refinement as text
- `refinement_page`: rounds of a refinement on the page
"""
