"""What a caller asks for and brings, checked: options, scale, items that both files hold."""
