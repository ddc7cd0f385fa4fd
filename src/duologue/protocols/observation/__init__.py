"""What a person showed with a phone: a tag that it read, a photo that it took. The same in every protocol."""
